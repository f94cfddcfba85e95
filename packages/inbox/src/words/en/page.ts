export const page = {
  title: "Approvals",
  notification: "Approval needed",
  pages: {
    pending: "Pending",
    history: "History",
    grants: "Standing permissions",
    insight: "Insight",
    suggestions: "Suggested rules",
    /** The menu of all but the first two. */
    more: "More",
  },
  /** The connection to the server. */
  links: {
    connecting: "Connecting",
    live: "Live",
    polling: "Checking for updates every 10 seconds",
    offline: "Offline",
  },
  stop: { short: "Stop", calls: "Stop tools" },
  skip: "Skip to the open request",
  skipToDecision: "Skip to the decision",
  offline: {
    title: "Cannot reach the server",
    text: "This page may be out of date. What you typed is kept. You can decide once the server responds again.",
  },
  /** The name of the place beside the list while nothing is open. */
  noCall: "Approval",
  /** Push messages. */
  push: {
    risk: { low: "Low risk", medium: "Medium risk", high: "High risk", critical: "Critical risk" },
    until: (time: string) => `until ${time}`,
    deny: "Deny",
    open: "Open",
  },
  you: "You",
  menuOf: (name: string) => `${name}, menu`,
  menu: {
    theme: "Theme",
    themes: { system: "System", light: "Light", dark: "Dark" },
    language: "Language",
    automatic: "Automatic language",
    notify: "Notify me on this device",
    keys: "Keyboard shortcuts",
    signOut: "Sign out",
  },
  notifications: {
    unsupported: "Not supported by this browser",
    blocked: "Blocked in your browser settings",
  },
  nothingHere: {
    title: "Nothing here",
    why: "The inbox has no page at this address.",
    back: "Go to the approvals",
  },
  /** The outcome of each one that was decided together with others. */
  batchOutcome: {
    denied: "Denied",
    approved: "Approved",
    voted: "Your vote was counted; more are needed",
    /** `status` is the label of its status. */
    now: (status: string) => `Now ${status}`,
  },
};

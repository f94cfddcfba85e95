import { countNumber } from "../locale.js";
import { counted } from "../plural.js";

/** Texts of the review of several calls in a table. */
export const batch = {
  title: (calls: number) => `Review ${countNumber(calls)} together`,
  loading: (missing: number, calls: number) => `Loading ${countNumber(missing)} of ${countNumber(calls)}`,
  unread:
    "A row counts as read after a moment on the screen. Rows with long values or warnings are opened first.",
  allRead: "All of them are read.",
  denyReason: "Reason for denying",
  keys: "{space} leave out · {d} deny",
  keysWithEdit: "{space} leave out · {d} deny · {e} edit",
  /** The label of the space bar. */
  space: "Space",
  close: "Close",
  blocked: {
    offline: "Cannot reach the server",
    sending: "Sending your decisions",
    editing: "Finish your change first: Enter keeps it, Esc takes it back",
    checking: "Checking your changes",
    arming: "Available in a moment",
    nothing: "None of these can be decided together yet",
  },
  decideNothing: "Approve 0",
  /** The label of the button that decides. `total` is what the approved ones come to, without the votes, if that can be said. */
  decide({
    approved,
    votes,
    total,
    changed,
    denied,
  }: {
    approved: number;
    /** Those that others must approve too. */
    votes: number;
    total: string | undefined;
    changed: number;
    denied: number;
  }): string {
    const details = [total, changed > 0 && `${countNumber(changed)} changed`];
    const approving = [`Approve ${countNumber(approved)}`, ...details].filter(Boolean).join(" · ");
    const voting = `${approved > 0 ? "vote" : "Vote"} for ${countNumber(votes)}`;
    const denying = `${approved + votes > 0 ? "deny" : "Deny"} ${countNumber(denied)}`;
    const inFavour = [approved > 0 && approving, votes > 0 && voting].filter(Boolean).join(", ");
    return [inFavour, denied > 0 && denying].filter(Boolean).join(" and ");
  },
  table: {
    caption: "{tool} · {calls}",
    captionOfServer: "{tool} of the MCP server {server} · {calls}",
    calls: (count: number) => counted(count, "call", "calls"),
    decision: "Decision",
    requester: "for",
    /** The column of arguments that are not an object. */
    value: "value",
    effects: "would change",
    review: "Review",
    total: "Total",
  },
  row: {
    choice: { approve: "to approve", deny: "to deny", leave: "left out" },
    approve: (sentence: string) => `Approve: ${sentence}`,
    deny: "Deny",
    /** A changed argument, after the sentence of its call. */
    changed: (name: string, value: string) => `with ${name} ${value}`,
    nobody: "nobody",
    sameAs: (row: number) => `same as row ${countNumber(row)}`,
    effectsOfProposal: "As proposed, without your change",
    /** Read between two values. */
    becomes: "becomes",
  },
  cell: {
    before: "was",
    after: "will be",
    edit: (name: string, sentence: string) => `Edit ${name}: ${sentence}`,
    timesMedian: (times: string) => `${times} × the median`,
    none: "none",
  },
  review: {
    seen: "Seen",
    notRead: "Not read yet",
    openFirst: "Open it first",
    openFirstFor: (left: string) => `Open it first: ${left}`,
    checking: "Checking your change",
    invalid: (problem: string) => `Cannot be approved: ${problem}`,
    waitsAgain: "Waits again",
    takeBack: "Take back",
    takingBack: "Being taken back",
  },
  /** Why an argument cannot be edited. */
  locked: {
    decided: "This call is decided, so you cannot change it",
    notYours: "Someone else must decide this call",
    nothingOpen: "The rule opens nothing for editing",
    absent: "This call has no such argument",
    hidden: "The value is hidden from you, so you cannot change it",
    notOpen: "The rule does not open this argument for editing",
    noneOpen: "The rule opens no argument of this call for editing",
    gone: "This call is not in the table any more",
  },
};

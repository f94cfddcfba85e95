import { countNumber } from "../locale.js";

/** Texts of stops. */
export const stops = {
  stoppedBy: (who: string, reason: string) => `Stopped by ${who}: ${reason}`,
  allCalls: "all calls",
  callsOf: (tools: string) => `calls of ${tools}`,
  covers: (calls: string) => `It covers ${calls}. Nobody can approve them until it is released.`,
  others: (count: number) =>
    count === 1 ? "There is another stop." : `There are ${countNumber(count)} other stops.`,
  show: "Show stops",
  notYet: "You cannot approve this until the stop is released.",
  mayDeny: "You can still deny it.",
  engaged: "Stopped by {who}, {time}",
  engagedForAll: "Stopped by {who}, {time}. It covers all tenants, and only an operator can release it",
  release: "Release",
  releaseOf: (calls: string) => `Release the stop of ${calls}`,
  releaseReason: "Why these calls can start again",
  releasing: "Releasing the stop",
  dialog: {
    title: "Stop calls",
    what: "Calls that you stop here do not start until the stop is released, whatever the policy says. Calls that have started continue. Pending calls stay in the list, but nobody can approve them.",
    active: "Active stops",
  },
  /** The form of a new stop. */
  draft: {
    label: "New stop",
    what: "What to stop",
    tool: "Calls of a tool",
    all: "Every call",
    toolName: "Tool",
    toolHint: "a name, or a pattern such as refund_*",
    /** The word to type before every call is stopped. */
    everything: "everything",
    /** `{word}` is the word to type. */
    typeWord: "Type {word} to stop every call",
    reason: "Reason",
    reasonHint: "shown to people, not to the agent",
    stopping: "Stopping calls",
    stop: "Stop",
    stopAll: "Stop every call",
    problems: {
      scope: "Choose what to stop",
      tool: "Enter the name of a tool",
      allTools: "Choose “Every call” to stop all tools",
      word: "Type everything to stop every call",
      reason: "Enter a reason",
    },
  },
  /** How many of the reader's calls a new stop covers. */
  affected: {
    none: "It covers none of the calls that wait for you.",
    some: (count: number) =>
      `It covers ${countNumber(count)} ${count === 1 ? "call that waits" : "calls that wait"} for you.`,
    moreThan: (count: number) => `It covers more than ${countNumber(count)} calls that wait for you.`,
    onlyYours: "Calls that wait only for others are not counted.",
  },
};

import { countNumber } from "../locale.js";

/** Texts of stops. */
export const stops = {
  stoppedBy: (who: string, reason: string) => `Stopped by ${who}: ${reason}`,
  allCalls: "everything",
  covers: (calls: string) => `It covers ${calls}. What it covers cannot be approved until it is released.`,
  others: (count: number) =>
    count === 1 ? "There is another stop." : `There are ${countNumber(count)} other stops.`,
  show: "Show stops",
  notYet: "You cannot approve this until the stop is released.",
  mayDeny: "You can still deny it.",
  engaged: "Stopped by {who}, {time}",
  engagedForAll: "Stopped by {who}, {time}. It covers all tenants, and only an operator can release it",
  release: "Release",
  releaseOf: (calls: string) => `Release the stop of ${calls}`,
  releaseReason: "Why this can start again",
  releasing: "Releasing the stop",
  dialog: {
    title: "Stop tools",
    what: "Nothing of this kind starts until you release the stop. What already runs is not interrupted. Waiting ones stay in the list, but cannot be approved.",
    active: "Active stops",
  },
  /** The form of a new stop. */
  draft: {
    label: "New stop",
    what: "What to stop",
    tool: "One tool, or several",
    all: "Everything",
    toolName: "Tool",
    toolHint: "a name, or a pattern such as refund_*",
    /** The word to type before everything is stopped. */
    everything: "everything",
    /** `{word}` is the word to type. */
    typeWord: "Type {word} to stop everything",
    reason: "Reason",
    reasonHint: "shown to people, not to the agent",
    stopping: "Stopping",
    stop: "Stop",
    stopAll: "Stop everything",
    problems: {
      scope: "Choose what to stop",
      tool: "Enter the name of a tool",
      allTools: "Choose “Everything” to stop all tools",
      word: "Type the word “everything” to stop everything",
      reason: "Enter a reason",
    },
  },
  /** How much that waits for the reader a new stop covers. */
  affected: {
    none: "Stops nothing that waits for you",
    some: (count: number) => `Stops ${countNumber(count)} that ${count === 1 ? "waits" : "wait"} for you`,
    moreThan: (count: number) => `Stops more than ${countNumber(count)} that wait for you`,
    onlyYours: "(others’ not counted).",
  },
};

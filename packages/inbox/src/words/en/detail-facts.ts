import { countNumber } from "../locale.js";

/** Texts of a call's arguments, checks, counts and effects. */
export const facts = {
  edit: "Edit",
  about: (argument: string) => `About ${argument}`,
  closeEditor: "Close editor",
  rawJson: "Raw JSON",
  asJson: "Arguments as JSON",
  noArguments: "No arguments.",
  /** The name of an argument without a name. */
  value: "value",
  /** Arguments that are not there. */
  nothing: "nothing",
  warnings: {
    more: "There are more warnings than are listed here",
    checked: "Checked",
    check: "Mark as checked",
  },
  checks: {
    title: "Safety checks",
    passed: "Passed",
    failed: "Failed",
    repeated:
      "Results from when the call was proposed. The checks run again right before it starts, and a failure then stops it.",
  },
  counts: {
    title: "Counted over time",
    asProposed:
      "Counted with this call as proposed. The policy judges the changed arguments with new numbers before the start.",
    repeated:
      "Counted when the call was proposed, with this call. The policy judges the numbers again right before the start.",
  },
  effects: {
    title: "What would change",
    none: "Nothing would change.",
    count: (count: number) => `Count: ${countNumber(count)}`,
    before: "Before",
    after: "After",
    unchanged: (value: string) => `No change: it is already ${value}`,
    asProposed:
      "This is what the call as proposed would change. Nobody has seen what the changed arguments would do; the policy judges that before the start.",
    repeated:
      "Found out when the call was proposed. It is found out again right before the start, and the call does not run if the state that it depends on has changed.",
    /** The same for calls that can no longer start. */
    proposedAt: (at: string) => `Found out when the call was proposed (${at}).`,
  },
  code: {
    title: "This code appears to call",
    line: (line: number) => `line ${line}`,
    advice: "Found by reading the code, not by running it. It may call other tools.",
  },
};

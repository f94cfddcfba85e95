import { countNumber } from "../locale.js";

/** Texts of a request's arguments, checks, counts and effects. */
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
  },
  counts: "Limit",
  method: {
    again: "Checked again just before it runs. If anything has changed by then, it does not run.",
    ofOriginal: "For the original values.",
    asOf: (at: string) => `As of ${at}.`,
  },
  effects: {
    title: "Effect",
    none: "Nothing would change.",
    count: (count: number) => `Count: ${countNumber(count)}`,
    before: "Before",
    after: "After",
    unchanged: (value: string) => `No change: it is already ${value}`,
  },
  code: {
    title: "This code appears to use",
    line: (line: number) => `line ${line}`,
    advice: "Found by reading the code, not by running it. It may use other tools.",
  },
};

import { countNumber } from "../locale.js";

const withChanges = (changes: number) =>
  changes > 0 ? ` with ${countNumber(changes)} ${changes === 1 ? "change" : "changes"}` : "";

/** Texts of the page around the lists and calls: its title, header, menus and what comes over it. */
export const page = {
  title: "Approvals",
  notification: "Approval needed",
  /** The outcome of each call that was decided together with others. */
  batchOutcome: {
    denied: "Denied",
    approved: (changes: number) => `Approved${withChanges(changes)}`,
    voted: "Your vote was counted; more are needed",
    /** `status` is the label of the call's status. */
    now: (status: string, changes: number) => `Now ${status}${withChanges(changes)}`,
  },
};

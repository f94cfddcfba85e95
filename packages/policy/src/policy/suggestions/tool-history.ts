import type { Policy } from "../policy.js";
import type { DecidedCall } from "./decided-call.js";
import type { PolicyPlace } from "./policy-places.js";
import type { FileEdit } from "./rule-edits.js";

/** What suggestions for one tool come from. */
export interface ToolHistory {
  toolName: string;
  /** The decided calls of the tool that teach. */
  calls: readonly DecidedCall[];
  policy: Policy;
  places: readonly PolicyPlace[];
  minApprovals: number;
  minDenials: number;
}

/** Calls that people always decided in the same way, what they have in common, and the change that would follow from it. */
export interface Habit {
  toolName: string;
  verdict: "notify" | "deny";
  when: string;
  calls: readonly DecidedCall[];
  edits: FileEdit[];
}

import type { Proposed } from "../approval/proposed.js";
import type { Refusal } from "../approval/refusal-text.js";
import type { Allowed } from "../gate/gate.js";

/** A call that runs under its approval. */
export interface Approved {
  kind: "approved";
  approvalId: string;
  /** What the run recorded when it proposed the call. */
  proposed: Proposed;
  /** The arguments that a person gave it. */
  editedInput?: Record<string, unknown>;
}

/** What was decided about a call: it runs, runs under its approval, or is answered without running. */
export type CallOutcome =
  | Allowed
  | Approved
  | { kind: "responded"; response: unknown }
  | { kind: "refused"; refusal: Refusal };

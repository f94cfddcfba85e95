import type { Approval } from "./approval.js";
import { firstDeadlineMs } from "./first-deadline.js";

/**
 * What a run remembers about a call it proposed. The workflow engine stores it, so an attacker with database access
 * cannot change it. Execution compares the row with it.
 */
export interface Proposed {
  /** The digest at the time of the proposal. */
  digest: string;
  /** Time of the proposal, in Unix milliseconds of the database clock. */
  at: number;
  /** Whether decisions about the call are signed. */
  signed: boolean;
  /** Milliseconds from its announcement until its first reminder or escalation, or its expiry. */
  deadlineMs: number;
}

/** The proposal according to the row. */
export function proposedOf(approval: Approval, signed: boolean): Proposed {
  return {
    digest: approval.digest,
    at: approval.createdAt.getTime(),
    signed,
    deadlineMs: firstDeadlineMs(approval),
  };
}

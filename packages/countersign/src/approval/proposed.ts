import type { SpanContext } from "@countersign/policy/internal/shared/span";
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
  /** The span of the proposal, if there is a tracer. Nothing rests on it. */
  span?: SpanContext;
}

/** The proposal according to the row. */
export function proposedOf(approval: Approval, signed: boolean, span?: SpanContext): Proposed {
  return {
    digest: approval.digest,
    at: approval.createdAt.getTime(),
    signed,
    deadlineMs: firstDeadlineMs(approval),
    ...(span && { span }),
  };
}

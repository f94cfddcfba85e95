import { dayMs, maxTimeoutMs } from "@countersign/policy/internal/shared/duration";
import type { Approval } from "./approval.js";

/** Milliseconds from the announcement of a call until its first reminder or escalation, or its expiry. */
export function firstDeadlineMs({ timeoutMs, terms }: Pick<Approval, "timeoutMs" | "terms">): number {
  return Math.min(timeoutMs, ...terms.escalation.map(({ afterMs }) => afterMs));
}

/** The earliest of several deadlines; without any, later than all. */
export function earliestMs(deadlines: readonly number[]): number {
  return Math.min(...deadlines, maxTimeoutMs + dayMs);
}

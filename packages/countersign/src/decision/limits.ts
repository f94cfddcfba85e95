import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import * as z from "zod";
import { defaultArgumentBytes } from "../approval/tool-input.js";
import type { ProposalLimits } from "../store/ports/request-port.js";

/** Each limit is a whole number of at least 1. */
export interface Limits {
  /** Maximum pending calls of one run. @default 50 */
  pendingPerRun?: number;
  /** Maximum pending calls of one thread. @default 50 */
  pendingPerThread?: number;
  /** Maximum pending calls of one requester, so that nobody uses up the tenant's. @default 1000 */
  pendingPerRequester?: number;
  /** Maximum pending calls of a tenant. @default 10000 */
  pendingPerTenant?: number;
  /** Denials by people in a row after which a run's calls are refused without asking. @default 5 */
  denialsInARow?: number;
  /**
   * Maximum bytes of JSON of one call's arguments, at most 2,000,000. Larger ones are refused before anybody is asked,
   * and so are larger edits and larger details of `requireApproval`. Inngest fails a run whose step takes or returns
   * more than 4 MiB.
   * @default 1048576
   */
  argumentBytes?: number;
  /**
   * Maximum bytes of JSON of a gated call's result, at most 2,000,000, and again of the state that it changes. The
   * approval keeps a larger result, and the model reads that it is too large. The same limit applies to a person's
   * response.
   * @default 1048576
   */
  resultBytes?: number;
  /**
   * Maximum steps of a run before its gated calls are refused, so that it can still end with an answer. Inngest fails a
   * run that needs more than 1,000 steps.
   * @default 950
   */
  stepsPerRun?: number;
}

/** The limits of an instance, with their defaults. */
export type InstanceLimits = ProposalLimits &
  Required<Pick<Limits, "argumentBytes" | "resultBytes" | "stepsPerRun">>;

const number = z.int("must be an integer of at least 1").min(1, "must be an integer of at least 1");

/** Half of what Inngest accepts for a step: JSON inside a JSON string may double in size. */
const maxValueBytes = 2_000_000;
const valueBytes = number.max(maxValueBytes, `must be at most ${maxValueBytes}`);

const limitsSchema = z.strictObject({
  pendingPerRun: number.default(50),
  pendingPerThread: number.default(50),
  pendingPerRequester: number.default(1000),
  pendingPerTenant: number.default(10_000),
  denialsInARow: number.default(5),
  argumentBytes: valueBytes.default(defaultArgumentBytes),
  resultBytes: valueBytes.default(1024 * 1024),
  stepsPerRun: number.default(950),
});

/** @throws CountersignError `invalid_option`, naming the limit. */
export function limitsOf(limits: Limits = {}): InstanceLimits {
  const parsed = limitsSchema.safeParse(limits);
  if (parsed.success) return parsed.data;
  throw new CountersignError("invalid_option", zodProblems(parsed.error, "limits").join("; "));
}

import { z } from "zod";
import { CountersignError } from "../errors.js";
import type { ProposalLimits } from "../store/store.js";

/** Each a whole number from 1; what is left out has the default. */
export interface Limits {
  /** Calls of one run that may wait for people at once; 50. */
  pendingPerRun?: number;
  /** Calls of one thread that may wait at once; 50. */
  pendingPerThread?: number;
  /** Calls of a tenant that may wait at once; 10,000. */
  pendingPerTenant?: number;
  /** After how many denials by people, one after another, a run asks nobody any more; 5. */
  denialsInARow?: number;
}

const number = z.int("must be a whole number of at least 1").min(1, "must be a whole number of at least 1");

const limitsSchema = z.strictObject({
  pendingPerRun: number.default(50),
  pendingPerThread: number.default(50),
  pendingPerTenant: number.default(10_000),
  denialsInARow: number.default(5),
});

/** @throws CountersignError `invalid_option`, naming the limit. */
export function limitsOf(limits: Limits = {}): ProposalLimits {
  const parsed = limitsSchema.safeParse(limits);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    (issue) => `${["limits", ...issue.path].join(".")}: ${issue.message}`,
  );
  throw new CountersignError("invalid_option", problems.join("; "));
}

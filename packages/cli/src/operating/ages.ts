import { dayMs, durationMs } from "@countersign/policy/internal/shared/duration";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import * as z from "zod";
import { type PrunedKind, prunedKinds } from "./retention-port.js";

/** Ages such as `"180d"` or `"7y"`, by kind of record. Kinds without an age are kept. */
export interface RetentionAges {
  /** Requests whose calls have all ended, with their approvals, votes and refusals. At least a day. */
  requests?: string;
  /** Threads without a change for that long, with their messages. At least a day. */
  threads?: string;
  /** Expired grants. At least a day. */
  grants?: string;
  /** Expired signed evidence whose approval is gone. At least a day. */
  proofs?: string;
  /** Stops that were released. At least 30 days. */
  stops?: string;
  /** Entries of the audit log, which are sealed first. At least 30 days. */
  audit?: string;
}

export type RetainedKind = PrunedKind | "audit";

const retainedKinds = [...prunedKinds, "audit"] as const;

/** The database itself refuses to delete younger rows of these. */
const minAgeMs: Record<RetainedKind, number> = {
  requests: dayMs,
  threads: dayMs,
  grants: dayMs,
  proofs: dayMs,
  stops: 30 * dayMs,
  audit: 30 * dayMs,
};
const maxAgeMs = 100 * 366 * dayMs;

const agesSchema = z.strictObject(
  Object.fromEntries(retainedKinds.map((kind) => [kind, z.string().optional()])),
);

/**
 * Milliseconds by kind. A single age applies to every kind but the audit log.
 *
 * @throws CountersignError `invalid_option`, naming the field.
 */
export function agesInMs(olderThan: string | RetentionAges): Partial<Record<RetainedKind, number>> {
  if (typeof olderThan === "string") {
    const age = ageOf("olderThan", olderThan, dayMs);
    return Object.fromEntries(prunedKinds.map((kind) => [kind, Math.max(age, minAgeMs[kind])]));
  }
  const parsed = agesSchema.safeParse(olderThan);
  if (!parsed.success) {
    const known = retainedKinds.join(", ");
    throw wrong("olderThan", `must be a duration such as "180d", or durations by kind: ${known}`);
  }
  const ages: Partial<Record<RetainedKind, number>> = {};
  for (const kind of retainedKinds) {
    const text = parsed.data[kind];
    if (text !== undefined) ages[kind] = ageOf(`olderThan.${kind}`, text, minAgeMs[kind]);
  }
  return ages;
}

function ageOf(field: string, text: string, minMs: number): number {
  const age = /^[\d.]+$/.test(text.trim()) ? undefined : durationMs(text);
  if (age !== undefined && age >= minMs && age <= maxAgeMs) return age;
  throw wrong(field, `must be a duration from ${minMs / dayMs} days to 100 years, such as "180d" or "7y"`);
}

function wrong(field: string, why: string): CountersignError {
  return new CountersignError("invalid_option", `${field}: ${why}`, { detail: { field } });
}

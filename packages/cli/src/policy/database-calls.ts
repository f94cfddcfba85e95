import type { DecidedCall } from "@countersign/policy/internal/policy/suggestions/decided-call";
import { decidedCalls, recordedCalls } from "countersign/internal";
import { type Database, readingFrom } from "../with-store.js";
import type { PastCall } from "./past-calls.js";

const failed = "cannot read approvals";

/**
 * Reads the calls in a database's approvals, oldest first.
 * @throws UsageError if the database cannot be read. The message contains neither the URL nor personal data.
 */
export async function* callsOfDatabase(database: Database): AsyncGenerator<PastCall> {
  const calls = readingFrom(database, failed, recordedCalls);
  for await (const { id: at, call } of calls) yield { at, call };
}

/**
 * Reads the calls that people decided from a database, oldest first.
 * @throws UsageError if the database cannot be read. The message contains neither the URL nor personal data.
 */
export function decidedInDatabase(
  database: Database,
  { tenant: tenantId }: { tenant: string | undefined },
): AsyncGenerator<DecidedCall> {
  return readingFrom(database, failed, (url) => decidedCalls(url, { tenantId }));
}

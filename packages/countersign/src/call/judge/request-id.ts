import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import type { ReviewRuntime } from "../run/runtime.js";

/**
 * The id of the request with this key in a run. The ids of its approvals and calls derive from it. People see them, and
 * must not be able to test guesses of hidden values against them, so a secret of the installation is part of it.
 */
export async function requestIdOf(
  { store }: Pick<ReviewRuntime, "store">,
  runId: string,
  key: string,
): Promise<string> {
  return (await requestIdsOf({ store }, runId))(key);
}

/** The same for several keys of a run. */
export async function requestIdsOf(
  { store }: Pick<ReviewRuntime, "store">,
  runId: string,
): Promise<(key: string) => string> {
  const secret = await store.nameSecret();
  return (key) => derivedId("req", secret, runId, key);
}

import { derivedId } from "../../shared/canonical-hash.js";
import type { ReviewRuntime } from "../run/runtime.js";

/**
 * The id of the request with this key in a run. The ids of its approvals and calls derive from it. People see them, and
 * must not be able to test guesses of hidden values against them, so a secret of the installation is part of it.
 */
export async function requestIdOf({ store }: ReviewRuntime, runId: string, key: string): Promise<string> {
  return derivedId("req", await store.nameSecret(), runId, key);
}

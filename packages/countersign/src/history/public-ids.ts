import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import type { Thread } from "../store/ports/thread-port.js";
import type { Store } from "../store/store.js";

/**
 * The ids by which people know the messages and turns of a thread. They derive from names that are hashes of the content.
 * With the installation's secret in them, nobody who reads the content redacted can test guesses against them.
 */
export async function publicIdsIn(store: Pick<Store, "nameSecret">, { id: threadId }: Thread) {
  const secret = await store.nameSecret();
  return {
    message: (key: string) => derivedId("msg", secret, threadId, key),
    turn: (key: string) => derivedId("turn", secret, threadId, key),
  };
}

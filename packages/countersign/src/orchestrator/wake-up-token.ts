import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import type { Store } from "../store/store.js";

/**
 * What a wake-up of a request must carry. It derives from a secret of the installation, so that nobody guesses it, and a
 * run that waits need not read it first.
 */
export async function wakeUpToken(store: Pick<Store, "nameSecret">, requestId: string): Promise<string> {
  return derivedId("wake", await store.nameSecret(), "wake-up", requestId);
}

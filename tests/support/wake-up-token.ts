import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import type { Store } from "./store.js";

/** What a wake-up of a request must carry, for whoever has read the database. */
export async function wakeUpTokenIn(store: Pick<Store, "nameSecret">, requestId: string): Promise<string> {
  return derivedId("wake", await store.nameSecret(), "wake-up", requestId);
}

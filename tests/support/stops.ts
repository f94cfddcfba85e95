import type { Stop } from "countersign";
import type { Store } from "./store.js";

/** Who engages and releases stops in tests, where it says nothing else. */
export const operator = { id: "operator", roles: ["lead"] };

export const stopCalls = (store: Store, tool = "*", tenantId: string | null = "acme"): Promise<Stop> =>
  store.engageStop({ tenantId, tool, reason: "A key has leaked", by: operator });

export const releaseCalls = (store: Store, { id, tenantId }: Stop) =>
  store.releaseStop({ id, tenantId, reason: "The key was replaced", by: operator });

/** For `expect.poll`: how long a busy machine may take. */
export const patience = { timeout: 60_000 };

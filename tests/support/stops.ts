import type { Stop } from "countersign";
import type { Store } from "./store.js";

/** The principal that engages and releases stops by default. */
export const operator = { id: "operator", roles: ["lead"] };

export const stopCalls = (store: Store, tool = "*", tenantId: string | null = "acme"): Promise<Stop> =>
  store.engageStop({ tenantId, tool, reason: "A key has leaked", by: operator });

export const releaseCalls = (store: Store, { id, tenantId }: Stop) =>
  store.releaseStop({ id, tenantId, reason: "The key was replaced", by: operator });

/** A timeout of `expect.poll` that is long enough for a busy machine. */
export const patience = { timeout: 60_000 };

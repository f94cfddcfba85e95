import type { Approval, Principal } from "countersign";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const lead: Principal = { id: "lead", tenantId: "acme", roles: ["lead"] };

const hold = (store: Store, { id, digest }: Approval, holdMs: number) =>
  store.decide({ approvalId: id, principal: finance, type: "approve", digest, reason: null, holdMs });
const deny = (store: Store, { id, digest }: Approval) =>
  store.decide({ approvalId: id, principal: lead, type: "deny", digest, reason: null });
const takeBack = (store: Store, { id: approvalId }: Approval) =>
  store.takeBack({ approvalId, principal: finance });

async function proposed(store: Store): Promise<Approval> {
  const [call] = await proposeCall(store);
  if (!call) throw new Error("unreachable");
  return call;
}

async function openStore() {
  const database = await freshPostgres();
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  return { store, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

describe("a decision whose time ends while people and runs race", () => {
  it("is taken back or takes effect, and never both", async () => {
    await using world = await openStore();
    const { store } = world;
    const seen = new Set<string>();
    for (let round = 0; round < 20; round++) {
      const call = await proposed(store);
      // So short that some end while the others are under way, and so long that others do not, also on a slow machine.
      await hold(store, call, 1 + 5 * round);
      const results = await Promise.all([
        ...Array.from({ length: 3 }, () => takeBack(store, call)),
        ...Array.from({ length: 3 }, () => store.settle(call.requestId, 0)),
        deny(store, call),
      ]);
      await store.settle(call.requestId, 0);
      const types = (await store.auditTrail("acme", call.id)).map(({ type }) => type);
      const row = await store.getApproval("acme", call.id);
      const takenBack = types.filter((type) => type === "approval.taken_back").length;
      const approved = types.filter((type) => type === "approval.approved").length;
      const denied = types.filter((type) => type === "approval.denied").length;
      expect(
        takenBack + approved,
        JSON.stringify([types, results.map((result) => "outcome" in result && result.outcome)]),
      ).toBe(1);
      expect(denied).toBeLessThanOrEqual(takenBack);
      expect(row).toMatchObject({
        status: approved === 1 ? "approved" : denied === 1 ? "denied" : "pending",
        held: null,
      });
      seen.add(String(row?.status));
    }
    expect(await store.verifyAudit("acme")).toMatchObject({ ok: true });
    // Otherwise the race was none.
    expect(seen).toContain("approved");
    expect(seen.size).toBeGreaterThan(1);
  });

  it("is one decision, however many people hold theirs at once", async () => {
    await using world = await openStore();
    const { store } = world;
    for (let round = 0; round < 10; round++) {
      const call = await proposed(store);
      const results = await Promise.all([
        ...Array.from({ length: 4 }, () => hold(store, call, 5_000)),
        deny(store, call),
      ]);
      const outcomes = results.map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === "decided")).toHaveLength(1);
      const types = (await store.auditTrail("acme", call.id)).map(({ type }) => type);
      expect(types.filter((type) => type === "approval.held" || type === "approval.denied")).toHaveLength(1);
    }
  });
});

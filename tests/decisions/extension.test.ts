import type { Principal } from "countersign";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };

describe("an extension of the time to decide", () => {
  async function open() {
    const world = await openWaitingRefund();
    const extend = (by: unknown, token = "finance") =>
      world.harness.call(token, `/approvals/${world.approval.id}/extend`, { method: "POST", body: { by } });
    return { ...world, extend };
  }

  it("keeps the run waiting past the first deadline, and a decision then still counts", async () => {
    await using world = await open();
    const { harness, approval, extend } = world;
    await harness.clock.advance("25m");
    const extended = await extend("20m");
    expect(extended).toMatchObject({ status: 200, body: { extensionsUsed: 1, extensionsLeft: 2 } });
    expect(Date.parse(extended.body.expiresAt) - Date.parse(approval.expiresAt ?? "")).toBe(20 * 60_000);
    await harness.clock.advance("10m");
    await harness.engine.idle();
    await harness.store.sweep();
    expect((await harness.runStatus(world.runId)).status).toBe("Running");
    expect((await harness.approval(approval.id)).status).toBe("pending");
    expect((await harness.decide(approval, "approve")).status).toBe(200);
    await harness.ended(world.runId);
    expect(world.effects).toHaveLength(1);
    const trail = await harness.store.auditTrail("acme", approval.id);
    expect(trail.find(({ type }) => type === "approval.extended")).toMatchObject({
      actorId: "finance",
      data: { byMs: 1_200_000, expiresAt: extended.body.expiresAt },
    });
  });

  it("ends with expiry if nobody decides", async () => {
    await using world = await open();
    const { harness, approval, extend } = world;
    await extend("10m");
    await harness.clock.advance("31m");
    await harness.engine.idle();
    expect((await harness.approval(approval.id)).status).toBe("pending");
    await harness.clock.advance("10m");
    await harness.ended(world.runId);
    expect((await harness.approval(approval.id)).status).toBe("expired");
    expect(world.effects).toEqual([]);
    expect(await extend("10m")).toMatchObject({ status: 410, body: { code: "expired" } });
  });

  it("is limited in length and number, and reserved for those who may decide", async () => {
    await using world = await open();
    const { extend } = world;
    for (const by of ["59s", "31m", "-5m"]) {
      expect(await extend(by)).toMatchObject({
        status: 400,
        body: { code: "invalid_extension", detail: expect.stringMatching(/^by: /) },
      });
    }
    for (const by of ["soon", "", 5, null]) {
      expect(await extend(by)).toMatchObject({
        status: 400,
        body: { code: "invalid_request", errors: [{ field: "by" }] },
      });
    }
    expect((await extend("1m", "requester")).status).toBe(403);
    expect((await extend("1m", "stranger")).status).toBe(404);
    for (let used = 1; used <= 3; used++) {
      expect((await extend("30m")).body).toMatchObject({ extensionsUsed: used, extensionsLeft: 3 - used });
    }
    expect(await extend("30m")).toMatchObject({
      status: 409,
      body: { code: "no_extension_left", detail: expect.stringContaining("3 times") },
    });
  });
});

describe("an extension in the store", () => {
  async function openStore() {
    const database = await freshPostgres();
    let offset = 0;
    const store = postgresStore({ client: database.postgres, clockOffset: () => offset });
    await store.migrate();
    const moveClock = (ms: number) => {
      offset += ms;
    };
    return { store, moveClock, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
  }

  it("is given no more often than the rule allows if ten people ask at once", async () => {
    await using world = await openStore();
    const [approval] = await proposeCall(world.store, { terms: { extensions: 2 } });
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        world.store.extend({
          approvalId: approval?.id ?? "",
          principal: { ...finance, id: `p${n}` },
          byMs: 60_000,
        }),
      ),
    );
    const outcomes = results.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual([...Array(2).fill("extended"), ...Array(8).fill("no_extension_left")]);
    const after = await world.store.getApproval("acme", approval?.id ?? "");
    expect(Number(after?.expiresAt) - Number(approval?.expiresAt)).toBe(120_000);
  });

  it("holds or comes too late if it races with expiry, and the row agrees", async () => {
    await using world = await openStore();
    for (let round = 0; round < 30; round++) {
      const [approval] = await proposeCall(world.store, { timeoutMs: 1000 });
      if (!approval) throw new Error("unreachable");
      world.moveClock(Number(approval.expiresAt) - Number(approval.announcedAt) - 15 - (round % 5));
      const extend = () => world.store.extend({ approvalId: approval.id, principal: finance, byMs: 60_000 });
      const [first, , second] = await Promise.all([
        extend(),
        world.store.settle(approval.requestId, 0),
        extend(),
      ]);
      const row = await world.store.getApproval("acme", approval.id);
      const extended = [first, second].filter(({ outcome }) => outcome === "extended").length;
      expect(row).toMatchObject({ status: extended > 0 ? "pending" : "expired", extensionsUsed: extended });
      const trail = await world.store.auditTrail("acme", approval.id);
      expect(trail.filter(({ type }) => type === "approval.extended")).toHaveLength(extended);
      expect(trail.filter(({ type }) => type === "approval.expired")).toHaveLength(extended > 0 ? 0 : 1);
    }
  });

  it("does not revive an expired call", async () => {
    await using world = await openStore();
    const [approval] = await proposeCall(world.store, { timeoutMs: 60_000 });
    world.moveClock(60_001);
    const result = await world.store.extend({
      approvalId: approval?.id ?? "",
      principal: finance,
      byMs: 60_000,
    });
    expect(result).toMatchObject({ outcome: "expired", wakeUp: { requestId: approval?.requestId } });
    expect(await world.store.getApproval("acme", approval?.id ?? "")).toMatchObject({
      status: "expired",
      extensionsUsed: 0,
    });
  });
});

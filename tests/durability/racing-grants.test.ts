import type { Approval } from "countersign";
import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";

const finance = { id: "finance", tenantId: "acme", roles: ["finance"] };
const terms = { grantable: ["team" as const] };

async function openStore() {
  const database = await freshPostgres(30);
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  return { store, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

/** Approves a call together with a grant for any arguments. */
async function grantAny(store: Store, uses: number | null) {
  const [approval] = await proposeCall(store, { terms });
  if (!approval) throw new Error("unreachable");
  const grant = {
    scope: "team" as const,
    inputHash: null,
    condition: null,
    authorSeesAll: false,
    lifetimeMs: 3_600_000,
    uses,
    budget: null,
  };
  const decision = {
    approvalId: approval.id,
    principal: finance,
    type: "approve" as const,
    digest: approval.digest,
    reason: null,
    grant,
  };
  return { approval, decide: () => store.decide(decision) };
}

const isGranted = ({ grantId }: Approval) => grantId !== null;

it("a grant with seven uses covers exactly seven of twenty concurrent calls", async () => {
  await using open = await openStore();
  const { store } = open;
  await (await grantAny(store, 7)).decide();
  const proposals = await Promise.all(
    Array.from({ length: 20 }, () => proposeCall(store, { terms, announce: false })),
  );
  const approvals = proposals.flat();
  expect(approvals.filter(isGranted)).toHaveLength(7);
  expect(approvals.filter(isGranted).every(({ status }) => status === "approved")).toBe(true);
  expect(approvals.filter(({ status }) => status === "proposed")).toHaveLength(13);
  const [grant] = await store.listGrants({ tenantId: "acme", limit: 10 });
  expect(grant).toMatchObject({ usesLeft: 0, usesTaken: 7, status: "used_up" });
  expect(await store.listGrants({ tenantId: "acme", live: true, limit: 10 })).toEqual([]);
});

it("a decision sent twenty times creates one grant", async () => {
  await using open = await openStore();
  const { decide, approval } = await grantAny(open.store, null);
  const results = await Promise.all(Array.from({ length: 20 }, decide));
  expect(results.filter(({ outcome }) => outcome === "decided")).toHaveLength(1);
  expect(results.filter(({ outcome }) => outcome === "repeated")).toHaveLength(19);
  expect(await open.store.listGrants({ tenantId: "acme", limit: 10 })).toHaveLength(1);
  const trail = await open.store.auditTrail("acme", approval.id);
  expect(trail.filter(({ type }) => type === "grant.created")).toHaveLength(1);
});

it("a repeated proposal uses the grant once and returns the same approval", async () => {
  await using open = await openStore();
  const { store } = open;
  await (await grantAny(store, 2)).decide();
  const proposal = { terms, announce: false, ids: "repeated" };
  const first = await proposeCall(store, proposal);
  const again = await proposeCall(store, proposal);
  expect(again).toEqual(first);
  expect(first.every(isGranted)).toBe(true);
  expect((await store.listGrants({ tenantId: "acme", limit: 1 }))[0]?.usesLeft).toBe(1);
});

it("a call claimed during the revocation of its grant either started before it or does not start", async () => {
  await using open = await openStore();
  const { store } = open;
  for (let round = 0; round < 10; round++) {
    await (await grantAny(store, null)).decide();
    const [call] = await proposeCall(store, { terms, announce: false });
    if (!call?.grantId) throw new Error("the call was not granted");
    const { id, grantId } = call;
    const both = [() => store.claim(id, "once", () => undefined), () => store.revokeGrant(finance, grantId)];
    if (round % 2) both.reverse();
    await Promise.all(both.map((verb) => verb()));
    // Both lock the grant's row until they have written their audit entries, so the audit log has their real order.
    const log = await store.listAudit({ tenantId: "acme" });
    const revoked = log.findIndex(({ type, data }) => type === "grant.revoked" && data.grantId === grantId);
    const started = log.findIndex(
      ({ type, approvalId }) => type === "approval.executing" && approvalId === id,
    );
    const refused = { status: "withdrawn", withdrawalCause: "grant_revoked" };
    expect(await store.getApproval("acme", id)).toMatchObject(
      started < 0 ? refused : { status: "executing" },
    );
    expect(started).toBeLessThan(revoked);
    for (const grant of await store.listGrants({ tenantId: "acme", live: true, limit: 10 })) {
      await store.revokeGrant(finance, grant.id);
    }
  }
});

it("a tenant has at most 1,000 live grants, even if the last ones are created concurrently", async () => {
  await using database = await freshPostgres(30);
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  const { decide } = await grantAny(store, null);
  await decide();
  await database.admin`
    insert into countersign.grants
    select (jsonb_populate_record(g, jsonb_build_object('id', 'grt_' || n, 'tool_name', 'other'))).*
    from countersign.grants g, generate_series(1, 997) n`;
  const waiting = [];
  for (let index = 0; index < 5; index++) {
    const [approval] = await proposeCall(store, { terms: { grantable: ["thread"] }, threadId: `t-${index}` });
    if (!approval) throw new Error("unreachable");
    waiting.push(approval);
  }
  const grant = {
    scope: "thread" as const,
    inputHash: null,
    condition: null,
    authorSeesAll: false,
    lifetimeMs: 60_000,
    uses: null,
    budget: null,
  };
  const results = await Promise.allSettled(
    waiting.map(({ id, digest }) =>
      store.decide({ approvalId: id, principal: finance, type: "approve", digest, reason: null, grant }),
    ),
  );
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  for (const result of results) {
    if (result.status === "rejected")
      expect(result.reason).toMatchObject({ code: "grant_limit", status: 409 });
  }
  const pending = await store.listApprovals({ tenantId: "acme", statuses: ["pending"], limit: 10 });
  expect(pending).toHaveLength(3);
});

import { ask, definePolicy, type Principal } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiFor, refusals } from "../support/attack.js";
import { freshPostgres } from "../support/databases.js";
import { deskTools } from "../support/desk-tools.js";
import { type Harness, openHarness } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";

/** May decide such calls, and is the requester of this one. */
const mallory: Principal = {
  id: "mallory",
  tenantId: "acme",
  roles: ["finance"],
  authenticatedBy: "session",
};
const friend: Principal = { id: "friend", tenantId: "acme", roles: ["finance"] };

describe("a call that its requester may not approve", () => {
  let database: Awaited<ReturnType<typeof freshPostgres>>;
  let harness: Harness;
  let api: ReturnType<typeof apiFor>;
  beforeAll(async () => {
    database = await freshPostgres();
    harness = await openHarness({
      database,
      tools: deskTools().tools,
      reply: () => ({ text: "Done." }),
      policy: definePolicy({ tools: { refund: ask() } }),
    });
    api = apiFor(harness.countersign);
  });
  afterAll(async () => {
    await harness[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const propose = async (terms: Parameters<typeof proposeCall>[1] = {}) => {
    const [approval] = await proposeCall(harness.store, {
      approvers: { roles: ["finance"], ids: [] },
      requesterId: mallory.id,
      ...terms,
      terms: {
        requesterMayNotApprove: true,
        decisions: ["approve", "edit", "deny", "respond"],
        editable: ["amount"],
        grantable: ["user"],
        delegable: true,
        ...terms.terms,
      },
    });
    if (!approval) throw new Error("unreachable");
    return approval;
  };
  const pending = async (id: string) => (await harness.store.getApproval("acme", id))?.status === "pending";

  it.each<[string, string, object]>([
    ["approve it", "decision", { type: "approve" }],
    [
      "approve it with a grant",
      "decision",
      { type: "approve", grant: { scope: "user", arguments: "exact" } },
    ],
    ["approve it with an edit", "decision", { type: "edit", input: { id: "A-1", amount: 1 } }],
    ["respond in its place", "decision", { type: "respond", response: "done" }],
    ["extend its deadline", "extend", { by: "5m" }],
    ["assign it to somebody else", "assign", { to: "friend" }],
    ["assign it to themselves", "assign", { to: "mallory" }],
  ])("does not let its requester %s", async (_what, verb, body) => {
    const { id, digest } = await propose();
    const path = `/approvals/${id}/${verb}`;
    const answer = await api.attack(mallory, {
      path,
      body: verb === "decision" ? { digest, ...body } : body,
    });
    expect(answer).toMatchObject({ status: 403, body: { code: "self_approval" } });
    expect(await pending(id)).toBe(true);
    const attempt = { decision: "decision", extend: "extension", assign: "assignment" }[verb];
    expect(await refusals(harness.store, id)).toEqual([
      { type: `${attempt}.refused`, actorId: "mallory", code: "self_approval" },
    ]);
  });

  it("refuses its requester's vote in a quorum", async () => {
    const { id, digest } = await propose({ terms: { quorum: 2 } });
    const path = `/approvals/${id}/decision`;
    expect(await api.attack(mallory, { path, body: { type: "approve", digest } })).toMatchObject({
      status: 403,
      body: { code: "self_approval" },
    });
    expect((await harness.store.getApproval("acme", id))?.votes).toEqual([]);
    expect(await refusals(harness.store, id)).toHaveLength(1);
  });

  it("cannot be assigned to its requester, who may not decide even if the row assigns it", async () => {
    const { id, digest } = await propose();
    const assign = `/approvals/${id}/assign`;
    expect(await api.attack(friend, { path: assign, body: { to: "mallory" } })).toMatchObject({
      status: 403,
      body: { code: "self_approval" },
    });
    expect(await refusals(harness.store, id)).toEqual([
      { type: "assignment.refused", actorId: "friend", code: "self_approval" },
    ]);
    // The same holds when the assignment is written into the row by hand.
    await database.admin`update countersign.approvals set assignee_id = 'mallory', assigned_by = 'friend' where id = ${id}`;
    const path = `/approvals/${id}/decision`;
    const other = { ...mallory, roles: [] };
    expect(await api.attack(other, { path, body: { type: "approve", digest } })).toMatchObject({
      status: 403,
      body: { code: "self_approval" },
    });
    expect(await pending(id)).toBe(true);
  });

  it("may still be denied by its requester, and approved by another person", async () => {
    const first = await propose();
    const denied = await api.attack(mallory, {
      path: `/approvals/${first.id}/decision`,
      body: { type: "deny", digest: first.digest },
    });
    expect(denied).toMatchObject({ status: 200, body: { status: "denied" } });
    const second = await propose();
    const approved = await api.attack(friend, {
      path: `/approvals/${second.id}/decision`,
      body: { type: "approve", digest: second.digest },
    });
    expect(approved).toMatchObject({ status: 200, body: { status: "approved" } });
  });

  it("logs the first and the tenth refusal of its requester for each code", async () => {
    const { id, digest } = await propose();
    const path = `/approvals/${id}/decision`;
    const ask = (body: object) => api.attack(mallory, { path, body });
    await Promise.all(Array.from({ length: 20 }, () => ask({ type: "approve", digest })));
    for (let time = 0; time < 20; time++) await ask({ type: "approve", digest: `${time}`.padStart(64, "0") });
    const own = { type: "decision.refused", actorId: "mallory" };
    expect(await refusals(harness.store, id)).toEqual([
      { ...own, code: "self_approval" },
      { ...own, code: "self_approval", times: 10 },
      { ...own, code: "digest_mismatch" },
      { ...own, code: "digest_mismatch", times: 10 },
    ]);
    const entry = (await harness.store.auditTrail("acme", id)).find(
      ({ type }) => type === "decision.refused",
    );
    expect(entry?.data).toEqual({
      code: "self_approval",
      type: "approve",
      digest,
      roles: ["finance"],
      via: "session",
    });
    const counted = await database.admin`select code, times from countersign.refusals
      where approval_id = ${id} order by code`;
    expect([...counted]).toEqual([
      { code: "digest_mismatch", times: 20 },
      { code: "self_approval", times: 20 },
    ]);
  });

  it("counts one person's votes once, whatever session, role, name or delegate they vote with", async () => {
    const { id, digest } = await propose({ requesterId: "requester", terms: { quorum: 2 } });
    const path = `/approvals/${id}/decision`;
    const vote = (principal: Principal) => api.attack(principal, { path, body: { type: "approve", digest } });
    const identities: Principal[] = [
      mallory,
      { ...mallory, authenticatedBy: "jwt https://login.example.com/" },
      { ...mallory, authenticatedBy: "api-token" },
      { ...mallory, displayName: "Somebody else" },
      { ...mallory, roles: ["finance", "lead", "admin"] },
    ];
    for (const identity of identities)
      expect((await vote(identity)).body).toMatchObject({ status: "pending" });
    expect((await harness.store.getApproval("acme", id))?.votes).toHaveLength(1);
    // A delegate votes for the person who assigned the call, and that person has already voted.
    const to = { path: `/approvals/${id}/assign`, body: { to: "puppet" } };
    expect((await api.attack(mallory, to)).status).toBe(200);
    const puppet = { id: "puppet", tenantId: "acme", roles: [] };
    expect((await vote(puppet)).body).toMatchObject({ status: "pending" });
    expect(await pending(id)).toBe(true);
    expect((await vote(friend)).body).toMatchObject({ status: "approved" });
  });
});

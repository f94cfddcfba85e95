import type { Approval } from "countersign";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { keysInTheMiddle, openSignedDesk, type SignedDesk } from "../../support/evidence/signed-desk.js";

// As in rows.test.ts: standing approvals that are written, widened or brought back by hand let nothing through.

interface Grant {
  threadId: string;
  /** The approval with which it was given. */
  approvalId: string;
}

interface Forgery {
  what: string;
  /** What finance grants beside an approval of 80 to A-1; where nothing is said, nothing. */
  grant?: Record<string, unknown>;
  forge(desk: SignedDesk, given: Grant): Promise<unknown>;
  /** What the model asks for afterwards, in the same conversation or in another one. */
  next: { to: string; amount: number };
  elsewhere?: boolean;
}

const inAll = { scope: "team", arguments: "any", expiresIn: "8h" };
const change =
  (set: string) =>
  (desk: SignedDesk, { approvalId }: Grant) =>
    desk.sql.unsafe(`update countersign.grants set ${set} where approval_id = $1`, [approvalId]);

const forgeries: Forgery[] = [
  {
    what: "one is written by hand",
    forge: (desk, { threadId, approvalId }) => desk.sql`
      insert into countersign.grants (id, tenant_id, scope, scope_id, tool_name, tool_version, summary, granted_by,
        granted_roles, approval_id, approver_roles, approver_ids, created_at, expires_at)
      select 'forged-' || ${approvalId}, tenant_id, 'thread', ${threadId}, tool_name, tool_version, summary, 'finance', '{finance}',
        id, '{finance}', '{}', now(), now() + interval '1 day' from countersign.approvals where id = ${approvalId}`,
    next: { to: "A-1", amount: 9000 },
  },
  {
    what: "one is written by hand as if a call had been cut off",
    forge: (desk, { threadId, approvalId }) => desk.sql`
      insert into countersign.grants (id, tenant_id, scope, scope_id, tool_name, tool_version, summary, granted_by,
        granted_roles, approval_id, rerun, approver_roles, approver_ids, created_at, expires_at, uses_left)
      select 'rerun-' || ${approvalId}, tenant_id, 'thread', ${threadId}, tool_name, tool_version, summary, 'finance', '{finance}',
        id, true, '{finance}', '{}', now(), now() + interval '1 day', 1 from countersign.approvals where id = ${approvalId}`,
    next: { to: "A-1", amount: 9000 },
  },
  {
    what: "it is for one conversation, and is made one for the team",
    grant: { scope: "thread", arguments: "any" },
    forge: change("scope = 'team', scope_id = null"),
    next: { to: "A-1", amount: 80 },
    elsewhere: true,
  },
  {
    what: "it is for these arguments, and is made one for any",
    grant: { scope: "team", arguments: "exact" },
    forge: change("input_hash = null"),
    next: { to: "A-1", amount: 9000 },
  },
  {
    what: "its condition is widened",
    grant: { scope: "team", arguments: { when: "input.amount <= 80" } },
    forge: change("condition = 'input.amount <= 10000'"),
    next: { to: "A-1", amount: 9000 },
  },
  {
    what: "it has been revoked, and the revocation is taken back",
    grant: inAll,
    async forge(desk, given) {
      const [row] = await desk.sql`select id from countersign.grants where approval_id = ${given.approvalId}`;
      const path = `/grants/${row?.id}/revoke`;
      expect((await desk.harness.call("finance", path, { method: "POST" })).status).toBe(200);
      await change("revoked_at = null, revoked_by = null")(desk, given);
    },
    next: { to: "A-1", amount: 81 },
  },
  {
    what: "it has been used, and is given its uses anew",
    grant: { ...inAll, uses: 1 },
    async forge(desk, given) {
      const { runId } = await desk.say("gift", { to: "A-1", amount: 82 }, given.threadId);
      await desk.harness.ended(runId);
      await change("uses_left = 5, uses_taken = 0")(desk, given);
    },
    next: { to: "A-1", amount: 83 },
  },
  {
    what: "it has been used, and is not changed used any number of times",
    grant: { ...inAll, uses: 1 },
    async forge(desk, given) {
      const { runId } = await desk.say("gift", { to: "A-1", amount: 84 }, given.threadId);
      await desk.harness.ended(runId);
      await change("uses_left = null")(desk, given);
    },
    next: { to: "A-1", amount: 85 },
  },
  {
    what: "it has expired, and is given more time",
    grant: { ...inAll, expiresIn: "5m" },
    async forge(desk, given) {
      await desk.harness.clock.advance("6m");
      await change("expires_at = expires_at + interval '1 day'")(desk, given);
    },
    next: { to: "A-1", amount: 86 },
  },
  {
    what: "it is said to have been given by somebody else",
    grant: inAll,
    forge: change("granted_by = 'lead', granted_roles = '{finance}'"),
    next: { to: "A-1", amount: 87 },
  },
  {
    what: "the signature of a wider one is put to it",
    grant: { scope: "thread", arguments: "exact" },
    async forge(desk, given) {
      const { approval } = await desk.propose("gift", { to: "wide", amount: 1 });
      await desk.decide(approval.id, "approve", { grant: inAll });
      await desk.sql`
        update countersign.grants set (token, scope, scope_id, input_hash) = (
          select token, scope, scope_id, input_hash from countersign.grants where approval_id = ${approval.id})
        where approval_id = ${given.approvalId}`;
      await desk.sql`update countersign.grants set revoked_at = now() where approval_id = ${approval.id}`;
    },
    next: { to: "A-1", amount: 89 },
  },
];

describe.each(keysInTheMiddle)("with $keys, a grant lets nothing through where", ({ later }) => {
  let desk: SignedDesk;
  beforeAll(async () => {
    desk = await openSignedDesk({ later });
  });
  afterAll(() => desk[Symbol.asyncDispose]());
  beforeEach(() => desk.sql`update countersign.grants set revoked_at = now() where revoked_at is null`);

  it.each(forgeries)("$what", async ({ grant, forge, next, elsewhere }) => {
    const first = await desk.propose("gift", { to: "A-1", amount: 80 });
    const given = { threadId: first.threadId, approvalId: first.approval.id };
    const answer = await desk.decide(first.approval.id, "approve", grant ? { grant } : {});
    expect(answer.status).toBe(200);
    await desk.harness.ended(first.runId);
    await forge(desk, given);
    desk.harness.redeploy({ signingKey: later });
    const { approval, runId } = await desk.propose("gift", next, elsewhere ? undefined : given.threadId);
    expect(approval).toMatchObject({ status: "pending", grantId: null });
    await desk.decide(approval.id, "deny");
    await desk.harness.ended(runId);
  });

  it("nothing is changed: it lets the next call through", async () => {
    const first = await desk.propose("gift", { to: "A-1", amount: 80 });
    await desk.decide(first.approval.id, "approve", { grant: inAll });
    await desk.harness.ended(first.runId);
    desk.harness.redeploy({ signingKey: later });
    const { runId } = await desk.say("gift", { to: "B-1", amount: 90 }, first.threadId);
    await desk.harness.ended(runId);
    const [granted] = await desk.ofRun(runId);
    expect(granted).toMatchObject({ status: "executed" });
  });

  it.each<[string, (desk: SignedDesk, granted: Approval) => Promise<unknown>, string]>([
    [
      "a call that it let through finds its grant changed before the start",
      (desk, { grantId }) => desk.sql`update countersign.grants set condition = 'true' where id = ${grantId}`,
      "evidence_invalid",
    ],
    [
      "a call that it let through finds its revocation taken back before the start",
      async (desk, { grantId }) => {
        await desk.harness.call("finance", `/grants/${grantId}/revoke`, { method: "POST" });
        await desk.sql`update countersign.grants set revoked_at = null, revoked_by = null where id = ${grantId}`;
      },
      "evidence_invalid",
    ],
    [
      "a call that waits for people is said to be let through by it",
      (desk, { id }) => desk.sql`
        update countersign.approvals set status = 'approved', decision_type = 'approve', decided_by = 'finance',
          decided_roles = '{finance}', decided_at = now(), decision_reason = 'Approved by a grant',
          grant_id = (select id from countersign.grants where revoked_at is null)
        where request_id = (select request_id from countersign.approvals where id = ${id}) and status = 'pending'`,
      "evidence_invalid",
    ],
  ])("%s", async (_what, forge, cause) => {
    const first = await desk.propose("gift", { to: "A-1", amount: 80 });
    await desk.decide(first.approval.id, "approve", { grant: { scope: "thread", arguments: "any" } });
    await desk.harness.ended(first.runId);
    // Beside a call that waits, so that it does not start before it has been changed.
    const { runId } = await desk.sayAll(
      [
        { name: "gift", input: { to: "C-1", amount: 91 } },
        { name: "refund", input: { to: "C-2", amount: 92 } },
      ],
      first.threadId,
    );
    const [granted, waits] = await desk.ofRun(runId, 2);
    if (!granted || !waits) throw new Error("unreachable");
    expect(granted).toMatchObject({ status: "approved", grantId: expect.any(String) });
    await desk.harness.engine.stop();
    await forge(desk, granted);
    const forged = (await desk.ofRun(runId, 2)).filter(({ status }) => status === "approved").at(-1);
    await desk.sql`update countersign.approvals set status = 'withdrawn' where id = ${waits.id} and status = 'pending'`;
    await desk.goOn(runId);
    expect(desk.startsOf(forged?.id ?? "")).toEqual([]);
    await desk.expectRefused(forged?.id ?? "", cause);
  });
});

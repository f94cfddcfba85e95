import type { Approval } from "countersign";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { keysInTheMiddle, openSignedDesk, type SignedDesk } from "../../support/evidence/signed-desk.js";

// As in rows.test.ts, for grants: a grant that is written, widened or revived by hand lets no call through.

interface Grant {
  threadId: string;
  /** The approval that gave the grant. */
  approvalId: string;
}

interface Forgery {
  what: string;
  /** The grant that finance gives with its approval of 80 to A-1; by default, none. */
  grant?: Record<string, unknown>;
  forge(desk: SignedDesk, given: Grant): Promise<unknown>;
  /** The call that the model proposes afterwards. */
  next: { to: string; amount: number };
  /** Whether it does so in another thread. */
  elsewhere?: boolean;
}

const inAll = { scope: "team", arguments: "any", expiresIn: "8h" };
const change =
  (set: string) =>
  (desk: SignedDesk, { approvalId }: Grant) =>
    desk.sql.unsafe(`update countersign.grants set ${set} where approval_id = $1`, [approvalId]);

const forgeries: Forgery[] = [
  {
    what: "it is written by hand",
    forge: (desk, { threadId, approvalId }) => desk.sql`
      insert into countersign.grants (id, tenant_id, scope, scope_id, tool_name, tool_version, summary, granted_by,
        granted_roles, approval_id, approver_roles, approver_ids, created_at, expires_at)
      select 'forged-' || ${approvalId}, tenant_id, 'thread', ${threadId}, tool_name, tool_version, summary, 'finance', '{finance}',
        id, '{finance}', '{}', now(), now() + interval '1 day' from countersign.approvals where id = ${approvalId}`,
    next: { to: "A-1", amount: 9000 },
  },
  {
    what: "it is written by hand as the rerun of an interrupted call",
    forge: (desk, { threadId, approvalId }) => desk.sql`
      insert into countersign.grants (id, tenant_id, scope, scope_id, tool_name, tool_version, summary, granted_by,
        granted_roles, approval_id, rerun, approver_roles, approver_ids, created_at, expires_at, uses_left)
      select 'rerun-' || ${approvalId}, tenant_id, 'thread', ${threadId}, tool_name, tool_version, summary, 'finance', '{finance}',
        id, true, '{finance}', '{}', now(), now() + interval '1 day', 1 from countersign.approvals where id = ${approvalId}`,
    next: { to: "A-1", amount: 9000 },
  },
  {
    what: "its scope is changed from one thread to the team",
    grant: { scope: "thread", arguments: "any" },
    forge: change("scope = 'team', scope_id = null"),
    next: { to: "A-1", amount: 80 },
    elsewhere: true,
  },
  {
    what: "it is changed from exact arguments to any",
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
    what: "its revocation is undone",
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
    what: "its uses are restored after the last one",
    grant: { ...inAll, uses: 1 },
    async forge(desk, given) {
      const { runId } = await desk.say("gift", { to: "A-1", amount: 82 }, given.threadId);
      await desk.harness.ended(runId);
      await change("uses_left = 5, uses_taken = 0")(desk, given);
    },
    next: { to: "A-1", amount: 83 },
  },
  {
    what: "its limit of uses is removed after the last one",
    grant: { ...inAll, uses: 1 },
    async forge(desk, given) {
      const { runId } = await desk.say("gift", { to: "A-1", amount: 84 }, given.threadId);
      await desk.harness.ended(runId);
      await change("uses_left = null")(desk, given);
    },
    next: { to: "A-1", amount: 85 },
  },
  {
    what: "its expiry is extended after it expired",
    grant: { ...inAll, expiresIn: "5m" },
    async forge(desk, given) {
      await desk.harness.clock.advance("6m");
      await change("expires_at = expires_at + interval '1 day'")(desk, given);
    },
    next: { to: "A-1", amount: 86 },
  },
  {
    what: "its budget is enlarged",
    grant: { ...inAll, budget: { amount: "amount", total: 100 } },
    forge: change("budget = jsonb_set(budget, '{total}', '10000')"),
    next: { to: "A-1", amount: 9000 },
  },
  {
    what: "its budget is removed",
    grant: { ...inAll, budget: { amount: "amount", total: 100 } },
    forge: change("budget = null"),
    next: { to: "A-1", amount: 9000 },
  },
  {
    what: "the maximum of each call is removed from its budget",
    grant: { ...inAll, budget: { amount: "amount", total: 100, each: 10 } },
    forge: change("budget = jsonb_set(budget, '{each}', 'null')"),
    next: { to: "A-1", amount: 90 },
  },
  {
    what: "what its calls have spent is reset",
    grant: { ...inAll, budget: { amount: "amount", total: 100 } },
    async forge(desk, given) {
      const { runId } = await desk.say("gift", { to: "A-1", amount: 60 }, given.threadId);
      await desk.harness.ended(runId);
      await change("spent = 0")(desk, given);
    },
    next: { to: "A-1", amount: 41 },
  },
  {
    what: "its grantor is changed",
    grant: inAll,
    forge: change("granted_by = 'lead', granted_roles = '{finance}'"),
    next: { to: "A-1", amount: 87 },
  },
  {
    what: "it gets the signature of a wider grant",
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

describe.each(keysInTheMiddle)("a grant signed with $keys", ({ later }) => {
  let desk: SignedDesk;
  beforeAll(async () => {
    desk = await openSignedDesk({ later });
  });
  afterAll(() => desk[Symbol.asyncDispose]());
  beforeEach(() => desk.sql`update countersign.grants set revoked_at = now() where revoked_at is null`);

  it.each(forgeries)("lets no call through when $what", async ({ grant, forge, next, elsewhere }) => {
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

  it("lets the next call through when nothing is changed", async () => {
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
      "its condition is changed before the granted call starts",
      (desk, { grantId }) => desk.sql`update countersign.grants set condition = 'true' where id = ${grantId}`,
      "evidence_invalid",
    ],
    [
      "its revocation is undone before the granted call starts",
      async (desk, { grantId }) => {
        await desk.harness.call("finance", `/grants/${grantId}/revoke`, { method: "POST" });
        await desk.sql`update countersign.grants set revoked_at = null, revoked_by = null where id = ${grantId}`;
      },
      "evidence_invalid",
    ],
    [
      "the row of a pending call says that it was approved by the grant",
      (desk, { id }) => desk.sql`
        update countersign.approvals set status = 'approved', decision_type = 'approve', decided_by = 'finance',
          decided_roles = '{finance}', decided_at = now(), decision_reason = 'Approved by a grant',
          grant_id = (select id from countersign.grants where revoked_at is null)
        where request_id = (select request_id from countersign.approvals where id = ${id}) and status = 'pending'`,
      "evidence_invalid",
    ],
  ])("starts no call when %s", async (_what, forge, cause) => {
    const first = await desk.propose("gift", { to: "A-1", amount: 80 });
    await desk.decide(first.approval.id, "approve", { grant: { scope: "thread", arguments: "any" } });
    await desk.harness.ended(first.runId);
    // A second call waits, so that the granted one does not start before its row is changed.
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

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keysInTheMiddle, openSignedDesk, type SignedDesk } from "../../support/evidence/signed-desk.js";

// As in rows.test.ts, but the call itself stays unchanged: these forgeries concern votes, assignments and escalations.

interface Forgery {
  what: string;
  call: Parameters<SignedDesk["propose"]>;
  /** Creates another call, whose signatures are then copied; returns its id. */
  beside?: (desk: SignedDesk) => Promise<string>;
  forge(desk: SignedDesk, id: string, other: string): Promise<unknown>;
  /** The field for which the start is refused. Without it, the call is never approved. */
  field?: string;
}

const pay: Forgery["call"] = ["pay", { to: "P-1", amount: 900 }];
const wire: Forgery["call"] = ["wire", { to: "X", amount: 5 }];

/** Writes a vote of somebody who did not vote, with the token of another vote if one is given. */
const forgedVote = (desk: SignedDesk, id: string, principal: string, token: string | null = null) => desk.sql`
  insert into countersign.votes (approval_id, tenant_id, principal_id, type, roles, voted_at, token)
  values (${id}, 'acme', ${principal}, 'approve', ${[principal]}, now(), ${token})
  on conflict (approval_id, principal_id) do update set type = 'approve', token = excluded.token`;

const tokenOfVote = async (desk: SignedDesk, id: string, principal: string): Promise<string> => {
  const [row] = await desk.sql`
    select token from countersign.votes where approval_id = ${id} and principal_id = ${principal}`;
  return String(row?.token);
};

const approvedByHand = (desk: SignedDesk, id: string) => desk.sql`
  update countersign.approvals set status = 'approved', decision_type = 'approve', decided_by = 'finance',
    decided_roles = '{finance}', decided_at = now() where id = ${id}`;

/** Creates a call of the same kind that both approvers approve; returns its id. */
async function anotherPaid(desk: SignedDesk): Promise<string> {
  const { approval } = await desk.propose("pay", { to: "P-1", amount: 901 });
  for (const token of ["finance", "lead"]) await desk.decide(approval.id, "approve", { token });
  return approval.id;
}

const forgeries: Forgery[] = [
  {
    what: "one of its two votes is written by hand",
    call: pay,
    async forge(desk, id) {
      await forgedVote(desk, id, "lead");
      await desk.decide(id, "approve");
    },
  },
  {
    what: "both votes are written by hand, with the evidence of another call",
    call: pay,
    beside: anotherPaid,
    async forge(desk, id, other) {
      await forgedVote(desk, id, "lead");
      await forgedVote(desk, id, "finance");
      await approvedByHand(desk, id);
      await desk.sql`update countersign.evidence set approval_id = ${id} where approval_id = ${other}`;
    },
    field: "approvalId",
  },
  {
    what: "a vote for another call is copied to it",
    call: pay,
    beside: anotherPaid,
    async forge(desk, id, other) {
      await forgedVote(desk, id, "lead", await tokenOfVote(desk, other, "lead"));
      await desk.decide(id, "approve");
    },
  },
  {
    what: "a person's vote is copied to another person",
    call: pay,
    async forge(desk, id) {
      await desk.decide(id, "approve");
      await forgedVote(desk, id, "lead", await tokenOfVote(desk, id, "finance"));
      await desk.decide(id, "approve");
    },
  },
  {
    what: "a vote that its voter has changed is restored",
    call: pay,
    async forge(desk, id) {
      await desk.decide(id, "approve", { token: "lead" });
      const token = await tokenOfVote(desk, id, "lead");
      await desk.decide(id, "deny", { token: "lead" });
      await forgedVote(desk, id, "lead", token);
      await desk.decide(id, "approve");
    },
  },
  {
    what: "one of its two votes is deleted after the decision",
    call: pay,
    async forge(desk, id) {
      await desk.decide(id, "approve", { token: "lead" });
      await desk.decide(id, "approve");
      await desk.sql`delete from countersign.votes where approval_id = ${id} and principal_id = 'lead'`;
    },
    field: "approvers",
  },
  {
    what: "a vote with an approver's role is written for another person",
    call: pay,
    async forge(desk, id) {
      await desk.sql`
        insert into countersign.votes (approval_id, tenant_id, principal_id, type, roles, voted_at)
        values (${id}, 'acme', 'mallory', 'approve', '{lead}', now())`;
      await desk.decide(id, "approve");
    },
  },
  {
    what: "the roles in a vote are changed to those of another approver",
    call: ["settle", { to: "P-2", amount: 900 }],
    async forge(desk, id) {
      await desk.decide(id, "approve");
      await desk.sql`update countersign.votes set roles = '{lead}' where approval_id = ${id}`;
      const { digest } = await desk.shownTo("finance", id);
      const colleague = { id: "fiona", tenantId: "acme", roles: ["finance"] };
      const vote = { approvalId: id, digest, principal: colleague, type: "approve" as const, reason: null };
      expect((await desk.harness.countersign.decide(vote)).votes).toMatchObject([
        { principalId: "finance" },
        { principalId: "fiona" },
      ]);
    },
  },
  {
    what: "an assignment is written by hand",
    call: wire,
    async forge(desk, id) {
      await desk.sql`
        update countersign.approvals set assignee_id = 'lead', assigned_by = 'finance', assigned_roles = '{finance}'
        where id = ${id}`;
      expect((await desk.decide(id, "approve", { token: "lead" })).status).toBe(403);
    },
  },
  {
    what: "the assignment of another call is copied to it",
    call: wire,
    async beside(desk) {
      const { approval } = await desk.propose("wire", { to: "Y", amount: 6 });
      await desk.assign(approval.id, "lead");
      return approval.id;
    },
    async forge(desk, id, other) {
      await desk.sql`
        update countersign.approvals set (assignee_id, assigned_by, assigned_roles, assignment_token) = (
          select assignee_id, assigned_by, assigned_roles, assignment_token from countersign.approvals
          where id = ${other}) where id = ${id}`;
      expect((await desk.decide(id, "approve", { token: "lead" })).status).toBe(403);
    },
  },
  {
    what: "an assignment that was undone is restored",
    call: wire,
    async forge(desk, id) {
      await desk.assign(id, "lead");
      const [row] = await desk.sql`select assignment_token from countersign.approvals where id = ${id}`;
      await desk.assign(id, null);
      await desk.sql`
        update countersign.approvals set assignee_id = 'lead', assigned_by = 'finance', assigned_roles = '{finance}',
          assignment_token = ${String(row?.assignment_token)} where id = ${id}`;
      expect((await desk.decide(id, "approve", { token: "lead" })).status).toBe(403);
    },
  },
  {
    what: "its escalation is written before it is due",
    call: wire,
    async forge(desk, id) {
      await desk.sql`
        update countersign.approvals set escalation_steps = 1, approver_roles = '{finance,lead}',
          announced_at = now() - interval '1 day', created_at = now() - interval '1 day' where id = ${id}`;
      expect((await desk.decide(id, "approve", { token: "lead" })).status).toBe(200);
    },
    field: "approvers",
  },
];

describe.each(keysInTheMiddle)("a call signed with $keys", ({ later }) => {
  let desk: SignedDesk;
  beforeAll(async () => {
    desk = await openSignedDesk({ later });
  });
  afterAll(() => desk[Symbol.asyncDispose]());

  it.each(forgeries)("does not start when $what", async ({ call, beside, forge, field }) => {
    const { runId, approval } = await desk.propose(...call);
    const other = (await beside?.(desk)) ?? "";
    await desk.harness.engine.stop();
    await forge(desk, approval.id, other);
    if (field === undefined) {
      // Too few people signed, so the call stays pending until it expires.
      expect((await desk.shownTo("finance", approval.id)).status).toBe("pending");
      await desk.harness.clock.advance("51m");
      await desk.goOn(runId);
    } else {
      await desk.goOn(runId);
      await desk.expectRefused(approval.id, "evidence_invalid", field);
    }
    expect(desk.startsOf(approval.id)).toEqual([]);
  });

  it("starts when two approvers vote for it", async () => {
    const { runId, approval } = await desk.propose("pay", { to: "P-1", amount: 7 });
    await desk.harness.engine.stop();
    await desk.decide(approval.id, "approve");
    await desk.decide(approval.id, "approve", { token: "lead" });
    await desk.goOn(runId);
    expect(desk.startsOf(approval.id)).toHaveLength(1);
  });

  it("starts when an approver assigns it to somebody who approves it", async () => {
    const { runId, approval } = await desk.propose("wire", { to: "Z", amount: 8 });
    await desk.harness.engine.stop();
    await desk.assign(approval.id, "lead");
    expect((await desk.decide(approval.id, "approve", { token: "lead" })).status).toBe(200);
    await desk.goOn(runId);
    expect(desk.startsOf(approval.id)).toHaveLength(1);
  });

  it("starts when somebody approves it after its escalation is due", async () => {
    const { runId, approval } = await desk.propose("wire", { to: "W", amount: 9 });
    await desk.harness.clock.advance("21m");
    await desk.harness.engine.idle();
    await desk.harness.engine.stop();
    expect((await desk.decide(approval.id, "approve", { token: "lead" })).status).toBe(200);
    await desk.goOn(runId);
    expect(desk.startsOf(approval.id)).toHaveLength(1);
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  approvedBy,
  assigned,
  changed,
  decidedBy,
  type Ended,
  type Forgery,
  forgeAll,
  type Step,
} from "../../support/evidence/forging.js";
import { keysInTheMiddle, openSignedDesk, type SignedDesk } from "../../support/evidence/signed-desk.js";

// As in rows.test.ts, but the calls themselves stay unchanged: these forgeries concern votes, assignments and escalations.

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

/** Copies the token of a person's vote on one call to a vote of another person, or on another call. */
const copiedVote =
  (principal: string, to: string, onOther = false): Step =>
  async (desk, id, other) =>
    forgedVote(desk, id, to, await tokenOfVote(desk, onOther ? other : id, principal));

/** A decision of somebody who may not decide. */
const refusedTo =
  (token: string): Step =>
  async (desk, id) =>
    expect((await desk.decide(id, "approve", { token })).status).toBe(403);

const anotherPaid: Forgery["beside"] = { tool: "pay", steps: [approvedBy("finance", "lead")] };

/** With these, the start is refused. */
const refused: (Forgery & { field: string })[] = [
  {
    what: "both votes are written by hand, with the evidence of another call",
    tool: "pay",
    beside: anotherPaid,
    steps: [
      (desk, id) => forgedVote(desk, id, "lead"),
      (desk, id) => forgedVote(desk, id, "finance"),
      changed(`status = 'approved', decision_type = 'approve', decided_by = 'finance',
        decided_roles = '{finance}', decided_at = now()`),
      (desk, id, other) => desk.sql`
        update countersign.evidence set approval_id = ${id} where approval_id = ${other}`,
    ],
    field: "approvalId",
  },
  {
    what: "one of its two votes is deleted after the decision",
    tool: "pay",
    steps: [
      approvedBy("lead", "finance"),
      (desk, id) =>
        desk.sql`delete from countersign.votes where approval_id = ${id} and principal_id = 'lead'`,
    ],
    field: "approvers",
  },
  {
    what: "its escalation is written before it is due",
    tool: "wire",
    steps: [
      changed(`escalation_steps = 1, approver_roles = '{finance,lead}',
        announced_at = now() - interval '1 day', created_at = now() - interval '1 day'`),
      approvedBy("lead"),
    ],
    field: "approvers",
  },
];

/** With these, too few people have signed, so the call stays pending until it expires. */
const unsigned: Forgery[] = [
  {
    what: "one of its two votes is written by hand",
    tool: "pay",
    steps: [(desk, id) => forgedVote(desk, id, "lead"), approvedBy("finance")],
  },
  {
    what: "a vote for another call is copied to it",
    tool: "pay",
    beside: anotherPaid,
    steps: [copiedVote("lead", "lead", true), approvedBy("finance")],
  },
  {
    what: "a person's vote is copied to another person",
    tool: "pay",
    steps: [approvedBy("finance"), copiedVote("finance", "lead"), approvedBy("finance")],
  },
  {
    what: "a vote that its voter has changed is restored",
    tool: "pay",
    steps: [
      approvedBy("lead"),
      async (desk, id) => {
        const token = await tokenOfVote(desk, id, "lead");
        await decidedBy("lead", "deny")(desk, id, "");
        await forgedVote(desk, id, "lead", token);
      },
      approvedBy("finance"),
    ],
  },
  {
    what: "a vote with an approver's role is written for another person",
    tool: "pay",
    steps: [
      (desk, id) => desk.sql`
        insert into countersign.votes (approval_id, tenant_id, principal_id, type, roles, voted_at)
        values (${id}, 'acme', 'mallory', 'approve', '{lead}', now())`,
      approvedBy("finance"),
    ],
  },
  {
    what: "the roles in a vote are changed to those of another approver",
    tool: "settle",
    steps: [
      approvedBy("finance"),
      async (desk, id) => {
        await desk.sql`update countersign.votes set roles = '{lead}' where approval_id = ${id}`;
        const { digest } = await desk.shownTo("finance", id);
        const colleague = { id: "fiona", tenantId: "acme", roles: ["finance"] };
        const vote = { approvalId: id, digest, principal: colleague, type: "approve" as const, reason: null };
        expect((await desk.harness.countersign.decide(vote)).votes).toMatchObject([
          { principalId: "finance" },
          { principalId: "fiona" },
        ]);
      },
    ],
  },
  {
    what: "an assignment is written by hand",
    tool: "wire",
    steps: [
      changed("assignee_id = 'lead', assigned_by = 'finance', assigned_roles = '{finance}'"),
      refusedTo("lead"),
    ],
  },
  {
    what: "the assignment of another call is copied to it",
    tool: "wire",
    beside: { tool: "wire", steps: [assigned("lead")] },
    steps: [
      (desk, id, other) => desk.sql`
        update countersign.approvals set (assignee_id, assigned_by, assigned_roles, assignment_token) = (
          select assignee_id, assigned_by, assigned_roles, assignment_token from countersign.approvals
          where id = ${other}) where id = ${id}`,
      refusedTo("lead"),
    ],
  },
  {
    what: "an assignment that was undone is restored",
    tool: "wire",
    steps: [
      assigned("lead"),
      async (desk, id) => {
        const [row] = await desk.sql`select assignment_token from countersign.approvals where id = ${id}`;
        await assigned(null)(desk, id, "");
        await desk.sql`
          update countersign.approvals set assignee_id = 'lead', assigned_by = 'finance', assigned_roles = '{finance}',
            assignment_token = ${String(row?.assignment_token)} where id = ${id}`;
      },
      refusedTo("lead"),
    ],
  },
];

const allowed: Forgery[] = [
  { what: "two approvers vote for it", tool: "pay", steps: [approvedBy("finance", "lead")] },
  {
    what: "an approver assigns it to somebody who approves it",
    tool: "wire",
    steps: [assigned("lead"), approvedBy("lead")],
  },
];

let desk: SignedDesk;
beforeAll(async () => {
  desk = await openSignedDesk();
});
afterAll(() => desk[Symbol.asyncDispose]());

describe.each(keysInTheMiddle)("a call signed with $keys", ({ later }) => {
  let ended: Ended;
  let expired: Ended;
  let before: string[];
  beforeAll(async () => {
    ended = await forgeAll(desk, [...refused, ...allowed], { later });
    expired = await forgeAll(desk, unsigned, {
      later,
      async meanwhile() {
        before = (await desk.waiting()).map(({ id }) => id);
        await desk.harness.clock.advance("51m");
      },
    });
  });

  it.each(refused)("does not start when $what", async ({ what, field }) => {
    expect(desk.startsOf(ended.idOf(what))).toEqual([]);
    await desk.expectRefused(ended.idOf(what), "evidence_invalid", field);
  });

  it.each(unsigned)("stays pending and does not start when $what", ({ what }) => {
    expect(before).toContain(expired.idOf(what));
    expect(desk.startsOf(expired.idOf(what))).toEqual([]);
  });

  it.each(allowed)("starts when $what", ({ what }) => {
    expect(desk.startsOf(ended.idOf(what))).toHaveLength(1);
  });

  it("starts when somebody approves it after its escalation is due", async () => {
    const { runId, approval } = await desk.propose("wire", { to: "W", amount: 9 });
    await desk.harness.clock.advance("21m");
    await desk.harness.engine.idle();
    await desk.harness.engine.stop();
    expect((await desk.decide(approval.id, "approve", { token: "lead" })).status).toBe(200);
    await desk.goOn(runId, later);
    expect(desk.startsOf(approval.id)).toHaveLength(1);
  });
});

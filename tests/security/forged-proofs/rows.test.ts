import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keysInTheMiddle, openSignedDesk, type SignedDesk } from "../../support/evidence/signed-desk.js";

// The attacker can write to every table and has an account, but does not hold the key. A real run proposes each call, the
// attacker changes its row, people decide through the API, and the run continues.

interface Forgery {
  /** What the attacker does. */
  what: string;
  call: Parameters<SignedDesk["propose"]>;
  /** Runs before anybody decides. */
  before?: (desk: SignedDesk, id: string) => unknown;
  /** The decision; by default, finance approves. */
  decide?: (desk: SignedDesk, id: string) => Promise<unknown>;
  /** Runs after the decision, while the engine is stopped. */
  after?: (desk: SignedDesk, id: string) => unknown;
  /** Why the call does not start. */
  cause: "digest_changed" | "evidence_invalid" | "policy_changed";
  field?: string;
}

const refund: Forgery["call"] = ["refund", { to: "A-1", amount: 80 }];

/** Changes the row and makes its digest match, as anybody can who reads the nonce. */
const rewritten = (set: string) => async (desk: SignedDesk, id: string) => {
  await desk.sql.unsafe(`update countersign.approvals set ${set} where id = $1`, [id]);
  await desk.redigest(id);
};

const changed = (set: string) => (desk: SignedDesk, id: string) =>
  desk.sql.unsafe(`update countersign.approvals set ${set} where id = $1`, [id]);

const approvedBy = (token: string) => (desk: SignedDesk, id: string) => desk.decide(id, "approve", { token });
const nobody = async () => undefined;

const forgeries: Forgery[] = [
  {
    what: "the requester is made its only approver",
    call: refund,
    before: rewritten("approver_roles = '{}', proposed_roles = '{}', approver_ids = '{requester}'"),
    decide: approvedBy("requester"),
    cause: "digest_changed",
  },
  {
    what: "everybody is made an approver",
    call: refund,
    before: rewritten("approver_roles = '{}', proposed_roles = '{}'"),
    decide: approvedBy("lead"),
    cause: "digest_changed",
  },
  {
    what: "its quorum is lowered and its requester may approve it",
    call: ["pay", { to: "P-1", amount: 900 }],
    before: rewritten(
      `terms = terms || '{"quorum": 1, "requesterMayNotApprove": false}', approver_ids = '{requester}'`,
    ),
    decide: approvedBy("requester"),
    cause: "digest_changed",
  },
  {
    what: "its requester is changed",
    call: ["pay", { to: "P-1", amount: 901 }],
    before: rewritten("requester_id = 'somebody'"),
    decide: async (desk, id) => {
      await desk.decide(id, "approve", { token: "finance" });
      await desk.decide(id, "approve", { token: "lead" });
    },
    cause: "digest_changed",
  },
  {
    what: "its amount is hidden from approvers and its summary names a smaller one",
    call: refund,
    before: rewritten(`terms = terms || '{"redact": ["amount"]}', summary = 'Refund 1 EUR'`),
    cause: "digest_changed",
  },
  {
    what: "its reason and risk are changed to look harmless",
    call: refund,
    before: rewritten("reason = 'It is harmless', risk = 'low'"),
    cause: "digest_changed",
  },
  {
    what: "its arguments are changed before the approval",
    call: refund,
    before: rewritten(`input_json = '{"to":"A-1","amount":1}'`),
    cause: "digest_changed",
  },
  {
    what: "its arguments are changed after the approval",
    call: refund,
    after: rewritten(`input_json = '{"to":"A-1","amount":9000}'`),
    cause: "digest_changed",
  },
  {
    what: "it is moved to another tenant and approved there",
    call: refund,
    before: (desk, id) => desk.moveToTenant(id, "other"),
    decide: approvedBy("stranger"),
    cause: "digest_changed",
  },
  {
    what: "its verdict is changed to notify, with other arguments",
    call: refund,
    before: rewritten(
      `verdict = 'notify', status = 'approved', decision_type = 'approve', decided_at = now(), input_json = '{"to":"A-1","amount":9000}'`,
    ),
    decide: nobody,
    cause: "digest_changed",
  },
  {
    what: "its timeout is extended",
    call: refund,
    before: rewritten("timeout_ms = 86400000, expires_at = expires_at + interval '1 day'"),
    cause: "digest_changed",
  },
  {
    what: "the schema that checks its edits is removed",
    call: refund,
    before: rewritten("input_schema_json = null"),
    cause: "digest_changed",
  },
  {
    what: "its policy context names another principal",
    call: refund,
    before: rewritten(
      `policy_context = '{"principal":{"id":"boss","roles":["boss"]},"profile":null,"mcp":null}'`,
    ),
    cause: "digest_changed",
  },
  {
    what: "another field is made editable and edited",
    call: refund,
    before: rewritten(`terms = terms || '{"editable": ["to", "amount"]}'`),
    decide: (desk, id) => desk.decide(id, "edit", { input: { to: "B-2", amount: 80 } }),
    cause: "digest_changed",
  },
  {
    what: "its edited arguments are replaced after the decision",
    call: refund,
    decide: (desk, id) => desk.decide(id, "edit", { input: { to: "A-1", amount: 50 } }),
    after: changed(`edited_input_json = '{"to":"A-1","amount":9000}'`),
    cause: "digest_changed",
  },
  {
    what: "its approval is changed into an edit that nobody made",
    call: refund,
    after: async (desk, id) => {
      await changed(`edited_input_json = '{"to":"A-1","amount":9000}', decision_type = 'edit'`)(desk, id);
      const digest = await desk.editedDigest(id);
      await desk.sql`update countersign.approvals set edited_digest = ${digest} where id = ${id}`;
    },
    cause: "evidence_invalid",
    field: "decision",
  },
  {
    what: "its row holds an approval that nobody made",
    call: refund,
    before: changed(
      "status = 'approved', decision_type = 'approve', decided_by = 'finance', decided_roles = '{finance}', decided_at = now()",
    ),
    decide: nobody,
    cause: "evidence_invalid",
    field: "evidence",
  },
  {
    what: "its denial is changed into an approval, in the row and in the evidence",
    call: refund,
    decide: (desk, id) => desk.decide(id, "deny"),
    after: async (desk, id) => {
      await changed("status = 'approved', decision_type = 'approve'")(desk, id);
      await desk.sql`update countersign.evidence set decision = 'approve' where approval_id = ${id}`;
    },
    cause: "evidence_invalid",
    field: "status",
  },
  {
    what: "its denial is undone and somebody approves it",
    call: refund,
    decide: (desk, id) => desk.decide(id, "deny"),
    after: async (desk, id) => {
      await changed("status = 'pending', decision_type = null, decided_by = null, decided_at = null")(
        desk,
        id,
      );
      await desk.sql`delete from countersign.evidence where approval_id = ${id}`;
      await desk.decide(id, "approve");
    },
    cause: "evidence_invalid",
    field: "status",
  },
  {
    what: "its approval is attributed to another approver",
    call: refund,
    after: changed("decided_by = 'lead'"),
    cause: "evidence_invalid",
    field: "principalId",
  },
  {
    what: "it gets the evidence of another approved call",
    call: refund,
    before: async (desk, id) => {
      const { approval: other } = await desk.propose("refund", { to: "A-2", amount: 1 });
      await desk.decide(other.id, "approve");
      await desk.sql`update countersign.evidence set approval_id = ${id} where approval_id = ${other.id}`;
      await changed(
        "status = 'approved', decision_type = 'approve', decided_by = 'finance', decided_roles = '{finance}', decided_at = now()",
      )(desk, id);
    },
    decide: nobody,
    cause: "evidence_invalid",
    field: "approvalId",
  },
  {
    what: "its expiry is extended and it is approved after the original one",
    call: refund,
    before: async (desk, id) => {
      await changed("expires_at = expires_at + interval '1 day'")(desk, id);
      await desk.harness.clock.advance("31m");
    },
    cause: "evidence_invalid",
    field: "decidedAt",
  },
];

describe.each(keysInTheMiddle)("a call signed with $keys", ({ later }) => {
  let desk: SignedDesk;
  beforeAll(async () => {
    desk = await openSignedDesk({ later });
  });
  afterAll(() => desk[Symbol.asyncDispose]());

  it.each(forgeries)("does not start when $what", async ({ call, before, decide, after, cause, field }) => {
    const { runId, approval } = await desk.propose(...call);
    await before?.(desk, approval.id);
    await desk.harness.engine.stop();
    await (decide ?? approvedBy("finance"))(desk, approval.id);
    await after?.(desk, approval.id);
    await desk.goOn(runId);
    expect(desk.startsOf(approval.id)).toEqual([]);
    await desk.expectRefused(approval.id, cause, field);
  });

  it("starts when nothing is changed", async () => {
    const { runId, approval } = await desk.propose(...refund);
    await desk.harness.engine.stop();
    expect((await desk.decide(approval.id, "approve")).status).toBe(200);
    await desk.goOn(runId);
    expect(desk.startsOf(approval.id)).toHaveLength(1);
  });
});

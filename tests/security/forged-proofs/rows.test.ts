import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keysInTheMiddle, openSignedDesk, type SignedDesk } from "../../support/evidence/signed-desk.js";

// Whoever can write to every table, and has an account, but does not hold the key. Every call here is proposed by a
// real run, changed by hand, decided by people through the API, and its run goes on.

interface Forgery {
  /** What is done to the row. */
  what: string;
  call: Parameters<SignedDesk["propose"]>;
  /** Before anybody decides. */
  before?: (desk: SignedDesk, id: string) => unknown;
  /** Who decides; finance approves where nothing is said. */
  decide?: (desk: SignedDesk, id: string) => Promise<unknown>;
  /** After the decision, while the engine stands still. */
  after?: (desk: SignedDesk, id: string) => unknown;
  /** Why the call did not start. */
  cause: "digest_changed" | "evidence_invalid" | "policy_changed";
  field?: string;
}

const refund: Forgery["call"] = ["refund", { to: "A-1", amount: 80 }];

/** A change of the row with a digest that fits it, as whoever reads the nonce can make one. */
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
    what: "the quorum is lowered, and the requester is let approve",
    call: ["pay", { to: "P-1", amount: 900 }],
    before: rewritten(
      `terms = terms || '{"quorum": 1, "requesterMayNotApprove": false}', approver_ids = '{requester}'`,
    ),
    decide: approvedBy("requester"),
    cause: "digest_changed",
  },
  {
    what: "its requester is made somebody else",
    call: ["pay", { to: "P-1", amount: 901 }],
    before: rewritten("requester_id = 'somebody'"),
    decide: async (desk, id) => {
      await desk.decide(id, "approve", { token: "finance" });
      await desk.decide(id, "approve", { token: "lead" });
    },
    cause: "digest_changed",
  },
  {
    what: "the amount is hidden from who approves, and the summary says less",
    call: refund,
    before: rewritten(`terms = terms || '{"redact": ["amount"]}', summary = 'Refund 1 EUR'`),
    cause: "digest_changed",
  },
  {
    what: "the reason and the risk are played down",
    call: refund,
    before: rewritten("reason = 'It is harmless', risk = 'low'"),
    cause: "digest_changed",
  },
  {
    what: "other arguments are put in, and approved as such",
    call: refund,
    before: rewritten(`input_json = '{"to":"A-1","amount":1}'`),
    cause: "digest_changed",
  },
  {
    what: "other arguments are put in after the approval",
    call: refund,
    after: rewritten(`input_json = '{"to":"A-1","amount":9000}'`),
    cause: "digest_changed",
  },
  {
    what: "it is moved to a tenant in which somebody else is in finance",
    call: refund,
    before: (desk, id) => desk.moveToTenant(id, "other"),
    decide: approvedBy("stranger"),
    cause: "digest_changed",
  },
  {
    what: "it is made one that the policy lets run and only tells of, with other arguments",
    call: refund,
    before: rewritten(
      `verdict = 'notify', status = 'approved', decision_type = 'approve', decided_at = now(), input_json = '{"to":"A-1","amount":9000}'`,
    ),
    decide: nobody,
    cause: "digest_changed",
  },
  {
    what: "the nonce is taken away, and the digest is made by the old formula",
    call: refund,
    before: rewritten("nonce = null, approver_ids = '{requester}'"),
    decide: approvedBy("requester"),
    cause: "digest_changed",
  },
  {
    what: "it is given more time",
    call: refund,
    before: rewritten("timeout_ms = 86400000, expires_at = expires_at + interval '1 day'"),
    cause: "digest_changed",
  },
  {
    what: "the schema by which an edit is checked is taken away",
    call: refund,
    before: rewritten("input_schema_json = null"),
    cause: "digest_changed",
  },
  {
    what: "the policy gets another requester when it judges an edit",
    call: refund,
    before: rewritten(
      `policy_context = '{"principal":{"id":"boss","roles":["boss"]},"profile":null,"mcp":null}'`,
    ),
    cause: "digest_changed",
  },
  {
    what: "another field is opened to edits",
    call: refund,
    before: rewritten(`terms = terms || '{"editable": ["to", "amount"]}'`),
    decide: (desk, id) => desk.decide(id, "edit", { input: { to: "B-2", amount: 80 } }),
    cause: "digest_changed",
  },
  {
    what: "an edit is swapped after it was approved",
    call: refund,
    decide: (desk, id) => desk.decide(id, "edit", { input: { to: "A-1", amount: 50 } }),
    after: changed(`edited_input_json = '{"to":"A-1","amount":9000}'`),
    cause: "digest_changed",
  },
  {
    what: "an approval is made an edit that nobody made",
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
    what: "it says that finance approved, and nobody did",
    call: refund,
    before: changed(
      "status = 'approved', decision_type = 'approve', decided_by = 'finance', decided_roles = '{finance}', decided_at = now()",
    ),
    decide: nobody,
    cause: "evidence_invalid",
    field: "evidence",
  },
  {
    what: "a denial is turned into an approval, in the row and in the proof",
    call: refund,
    decide: (desk, id) => desk.decide(id, "deny"),
    after: async (desk, id) => {
      await changed("status = 'approved', decision_type = 'approve'")(desk, id);
      await desk.sql`update countersign.evidence set decision = 'approve' where approval_id = ${id}`;
    },
    cause: "evidence_invalid",
    field: "decision",
  },
  {
    what: "somebody approves it again that had been denied",
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
    field: "consumedAt",
  },
  {
    what: "it says that an approver approved who did not",
    call: refund,
    after: changed("decided_by = 'lead'"),
    cause: "evidence_invalid",
    field: "principalId",
  },
  {
    what: "the proof of another approved call is put in its place",
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
    what: "its time is moved, and it is approved when it was over",
    call: refund,
    before: async (desk, id) => {
      await changed("expires_at = expires_at + interval '1 day'")(desk, id);
      await desk.harness.clock.advance("31m");
    },
    cause: "evidence_invalid",
    field: "decidedAt",
  },
];

describe.each(keysInTheMiddle)("with $keys, a call does not start where", ({ later }) => {
  let desk: SignedDesk;
  beforeAll(async () => {
    desk = await openSignedDesk({ later });
  });
  afterAll(() => desk[Symbol.asyncDispose]());

  it.each(forgeries)("$what", async ({ call, before, decide, after, cause, field }) => {
    const { runId, approval } = await desk.propose(...call);
    await before?.(desk, approval.id);
    await desk.harness.engine.stop();
    await (decide ?? approvedBy("finance"))(desk, approval.id);
    await after?.(desk, approval.id);
    await desk.goOn(runId);
    expect(desk.startsOf(approval.id)).toEqual([]);
    await desk.expectRefused(approval.id, cause, field);
  });

  it("nothing is changed: it starts", async () => {
    const { runId, approval } = await desk.propose(...refund);
    await desk.harness.engine.stop();
    expect((await desk.decide(approval.id, "approve")).status).toBe(200);
    await desk.goOn(runId);
    expect(desk.startsOf(approval.id)).toHaveLength(1);
  });
});

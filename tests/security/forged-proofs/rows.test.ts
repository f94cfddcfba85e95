import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  approvedBy,
  changed,
  decidedBy,
  type Ended,
  type Forgery,
  forgeAll,
  rewritten,
} from "../../support/evidence/forging.js";
import { keysInTheMiddle, openSignedDesk, type SignedDesk } from "../../support/evidence/signed-desk.js";

// The attacker can write to every table and has an account, but does not hold the key. A real run proposes the calls, the
// attacker changes their rows, people decide through the API, and the run continues.

interface Refused extends Forgery {
  cause: "digest_changed" | "evidence_invalid";
  field?: string;
}

const approvedByHand = `status = 'approved', decision_type = 'approve', decided_by = 'finance',
  decided_roles = '{finance}', decided_at = now()`;

const toldWhen = { digest_changed: "no longer matches", evidence_invalid: "could not be verified" };

const tampered = { tool: "refund", cause: "digest_changed" } as const;
const unproven = { tool: "refund", cause: "evidence_invalid" } as const;

const forgeries: Refused[] = [
  {
    ...tampered,
    what: "the requester is made its only approver",
    steps: [
      rewritten("approver_roles = '{}', proposed_roles = '{}', approver_ids = '{requester}'"),
      approvedBy("requester"),
    ],
  },
  {
    ...tampered,
    what: "everybody is made an approver",
    steps: [rewritten("approver_roles = '{}', proposed_roles = '{}'"), approvedBy("lead")],
  },
  {
    ...tampered,
    what: "its quorum is lowered and its requester may approve it",
    tool: "pay",
    steps: [
      rewritten(
        `terms = terms || '{"quorum": 1, "requesterMayNotApprove": false}', approver_ids = '{requester}'`,
      ),
      approvedBy("requester"),
    ],
  },
  {
    ...tampered,
    what: "its requester is changed",
    tool: "pay",
    steps: [rewritten("requester_id = 'somebody'"), approvedBy("finance", "lead")],
  },
  {
    ...tampered,
    what: "its amount is hidden from approvers and its summary names a smaller one",
    steps: [
      rewritten(`terms = terms || '{"redact": ["amount"]}', summary = 'Refund 1 EUR'`),
      approvedBy("finance"),
    ],
  },
  {
    ...tampered,
    what: "its reason and risk are changed to look harmless",
    steps: [rewritten("reason = 'It is harmless', risk = 'low'"), approvedBy("finance")],
  },
  {
    ...tampered,
    what: "its arguments are changed before the approval",
    steps: [rewritten(`input_json = '{"to":"A-1","amount":1}'`), approvedBy("finance")],
  },
  {
    ...tampered,
    what: "its arguments are changed after the approval",
    steps: [approvedBy("finance"), rewritten(`input_json = '{"to":"A-1","amount":9000}'`)],
  },
  {
    ...tampered,
    what: "its verdict is changed to notify, with other arguments",
    steps: [
      rewritten(
        `verdict = 'notify', status = 'approved', decision_type = 'approve', decided_at = now(), input_json = '{"to":"A-1","amount":9000}'`,
      ),
    ],
  },
  {
    ...tampered,
    what: "its timeout is extended",
    steps: [
      rewritten("timeout_ms = 86400000, expires_at = expires_at + interval '1 day'"),
      approvedBy("finance"),
    ],
  },
  {
    ...tampered,
    what: "the schema that checks its edits is removed",
    steps: [rewritten("input_schema_json = null"), approvedBy("finance")],
  },
  {
    ...tampered,
    what: "its policy context names another principal",
    steps: [
      rewritten(`policy_context = '{"principal":{"id":"boss","roles":["boss"]},"profile":null,"mcp":null}'`),
      approvedBy("finance"),
    ],
  },
  {
    ...tampered,
    what: "another field is made editable and edited",
    steps: [
      rewritten(`terms = terms || '{"editable": ["to", "amount"]}'`),
      decidedBy("finance", "edit", { input: { to: "B-2", amount: 80 } }),
    ],
  },
  {
    ...tampered,
    what: "its edited arguments are replaced after the decision",
    steps: [
      async (desk, id) => {
        const { input } = await desk.shownTo("finance", id);
        await decidedBy("finance", "edit", { input: { ...input, amount: 50 } })(desk, id, "");
      },
      changed(`edited_input_json = '{"to":"A-1","amount":9000}'`),
    ],
  },
  {
    ...unproven,
    what: "its approval is changed into an edit that nobody made",
    steps: [
      approvedBy("finance"),
      changed(`edited_input_json = '{"to":"A-1","amount":9000}', decision_type = 'edit'`),
      async (desk, id) => {
        const digest = await desk.editedDigest(id);
        await desk.sql`update countersign.approvals set edited_digest = ${digest} where id = ${id}`;
      },
    ],
    field: "decision",
  },
  {
    ...unproven,
    what: "its row holds an approval that nobody made",
    steps: [changed(approvedByHand)],
    field: "evidence",
  },
  {
    ...unproven,
    what: "its denial is changed into an approval, in the row and in the evidence",
    steps: [
      decidedBy("finance", "deny"),
      changed("status = 'approved', decision_type = 'approve'"),
      (desk, id) => desk.sql`update countersign.evidence set decision = 'approve' where approval_id = ${id}`,
    ],
    field: "status",
  },
  {
    ...unproven,
    what: "its denial is undone and somebody approves it",
    steps: [
      decidedBy("finance", "deny"),
      changed("status = 'pending', decision_type = null, decided_by = null, decided_at = null"),
      (desk, id) => desk.sql`delete from countersign.evidence where approval_id = ${id}`,
      approvedBy("finance"),
    ],
    field: "status",
  },
  {
    ...unproven,
    what: "its approval is attributed to another approver",
    steps: [approvedBy("finance"), changed("decided_by = 'lead'")],
    field: "principalId",
  },
  {
    ...unproven,
    what: "it gets the evidence of another approved call",
    beside: { tool: "refund", steps: [approvedBy("finance")] },
    steps: [
      (desk, id, other) => desk.sql`
        update countersign.evidence set approval_id = ${id} where approval_id = ${other}`,
      changed(approvedByHand),
    ],
    field: "approvalId",
  },
];

/** These concern the request or the time, and so need a run of their own. */
const alone: Refused[] = [
  {
    ...tampered,
    what: "it is moved to another tenant and approved there",
    steps: [(desk, id) => desk.moveToTenant(id, "other"), approvedBy("stranger")],
  },
  {
    ...unproven,
    what: "its expiry is extended and it is approved after the original one",
    steps: [
      changed("expires_at = expires_at + interval '1 day'"),
      (desk) => desk.harness.clock.advance("31m"),
      approvedBy("finance"),
    ],
    field: "decidedAt",
  },
];

const untouched: Forgery = {
  ...{ what: "nothing is changed", tool: "refund", steps: [approvedBy("finance")] },
};

let desk: SignedDesk;
beforeAll(async () => {
  desk = await openSignedDesk();
});
afterAll(() => desk[Symbol.asyncDispose]());

describe.each(keysInTheMiddle)("a call signed with $keys", ({ later }) => {
  let ended: Ended;
  beforeAll(async () => {
    ended = await forgeAll(desk, [...forgeries, untouched], { later });
  });

  it.each(forgeries)("does not start when $what", async ({ what, cause, field }) => {
    expect(desk.startsOf(ended.idOf(what))).toEqual([]);
    expect(ended.toldOf(what)).toContain(toldWhen[cause]);
    await desk.expectRefused(ended.idOf(what), cause, field);
  });

  it.each(alone)("does not start when $what", async (forgery) => {
    const { idOf } = await forgeAll(desk, [forgery], { later });
    expect(desk.startsOf(idOf(forgery.what))).toEqual([]);
    await desk.expectRefused(idOf(forgery.what), forgery.cause, forgery.field);
  });

  it("starts when nothing is changed", () => {
    expect(desk.startsOf(ended.idOf(untouched.what))).toHaveLength(1);
  });
});

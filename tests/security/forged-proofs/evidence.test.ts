import type { Approval } from "countersign";
import { createEvidenceSigner } from "countersign/evidence";
import { CompactSign, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../support/audit-log.js";
import { freshPostgres } from "../../support/databases.js";
import { proposeCall } from "../../support/proposals.js";
import type { Store } from "../../support/store.js";

// As in rows.test.ts, for the evidence of a decision, at the store: whatever differs from what was signed, and every token
// that the key has not signed, keeps the call from starting.

const secret = "one-secret-that-is-long-enough-for-a-key";
const signer = createEvidenceSigner({ current: { id: "current", secret }, ttl: "10m" });
const json = (part: string | undefined) => JSON.parse(Buffer.from(part ?? "", "base64url").toString());
const base64 = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
const approvedByHand =
  "status = 'approved', decision_type = 'approve', decided_by = 'finance', decided_at = now()";

let database: Awaited<ReturnType<typeof freshPostgres>>;
let store: Store;
let offset = 0;
beforeAll(async () => {
  database = await freshPostgres();
  store = await openStore(database, () => offset);
});
afterAll(() => database[Symbol.asyncDispose]());

async function propose(tenantId = "acme"): Promise<Approval> {
  const [approval] = await proposeCall(store, { tenantId });
  if (!approval) throw new Error("unreachable");
  return approval;
}

async function approve(tenantId = "acme"): Promise<Approval> {
  const { id: approvalId, digest } = await propose(tenantId);
  const principal = { id: "finance", tenantId, roles: [] };
  const decision = { approvalId, principal, type: "approve", digest, reason: null } as const;
  const decided = await store.decide(decision, signer);
  if (decided.outcome !== "decided") throw new Error("unreachable");
  return decided.approval;
}

const claim = ({ id }: Approval) => store.claim(id, "once", () => undefined, signer);

const setRow = (set: string) => (approval: Approval) =>
  database.admin.unsafe(`update countersign.approvals set ${set} where id = $1`, [approval.id]);

const setEvidence = (set: string) => (approval: Approval) =>
  database.admin.unsafe(`update countersign.evidence set ${set} where approval_id = $1`, [approval.id]);

/** Replaces a token by one that is made from its parts. */
const setToken =
  (make: (token: { header: object; payload: object; signature: string }) => string | Promise<string>) =>
  async ({ id }: Approval) => {
    const [row] = await database.admin`select token from countersign.evidence where approval_id = ${id}`;
    const [header, payload, signature = ""] = String(row?.token).split(".");
    const token = await make({ header: json(header), payload: json(payload), signature });
    await database.admin`update countersign.evidence set token = ${token} where approval_id = ${id}`;
  };

/** Signs the claims, under the known key id, with a key that is not known. */
const signedByAnother = ({ header, payload }: { header: object; payload: object }) =>
  new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
    .setProtectedHeader({ ...header, alg: "HS256" })
    .sign(new TextEncoder().encode("another-secret-that-is-long-enough-too!!"));

/** Replaces the call's evidence, with its signed token, by that of another call. */
async function copyEvidence(from: Approval, to: Approval): Promise<void> {
  await database.admin`
    update countersign.evidence set (token, digest, decision, created_at, expires_at, id)
      = (select token, digest, decision, created_at, expires_at, id || '-copy' from countersign.evidence where approval_id = ${from.id})
      where approval_id = ${to.id}`;
}

/** What is forged about an approved call, and the first field for which it is refused. */
const forgeries: [what: string, field: string, forge: (approval: Approval) => unknown][] = [
  [
    "evidence whose algorithm is none",
    "token",
    setToken(({ payload }) => new UnsecuredJWT({ ...payload }).encode()),
  ],
  [
    "evidence whose algorithm is none in an otherwise unchanged header",
    "token",
    setToken(({ header, payload }) => `${base64({ ...header, alg: "none" })}.${base64(payload)}.`),
  ],
  [
    "evidence of another kind",
    "typ",
    setToken(
      ({ header, payload, signature }) =>
        `${base64({ ...header, typ: "JWT" })}.${base64(payload)}.${signature}`,
    ),
  ],
  ["evidence signed with another key under the known key id", "signature", setToken(signedByAnother)],
  [
    "evidence with an unknown key id",
    "keyId",
    setToken(
      ({ header, payload, signature }) =>
        `${base64({ ...header, kid: "eve" })}.${base64(payload)}.${signature}`,
    ),
  ],
  [
    "evidence with a changed claim",
    "signature",
    setToken(
      ({ header, payload, signature }) =>
        `${base64(header)}.${base64({ ...payload, toolName: "pay" })}.${signature}`,
    ),
  ],
  ["another approval's evidence", "id", async (to) => copyEvidence(await approve(), to)],
  ["another tenant's evidence", "id", async (to) => copyEvidence(await approve("other"), to)],
  [
    "another tenant's evidence row moved to the approval",
    "tenantId",
    async (to) => {
      const from = await approve("other");
      await database.admin`delete from countersign.evidence where approval_id = ${to.id}`;
      await setEvidence(`tenant_id = 'acme', approval_id = '${to.id}'`)(from);
    },
  ],
  ["evidence that was moved to another tenant", "evidence", setEvidence("tenant_id = 'other'")],
  [
    "no evidence",
    "evidence",
    ({ id }) => database.admin`delete from countersign.evidence where approval_id = ${id}`,
  ],
  ["evidence with another person", "principalId", setEvidence("principal_id = 'lead'")],
  ["evidence of another origin", "origin", setEvidence("origin = 'operator-contract-review'")],
  ["evidence of another way of signing in", "via", setEvidence("via = 'session'")],
  ["evidence with another digest", "digest", setEvidence("digest = 'other'")],
  ["evidence with another name of the key", "keyId", setEvidence("key_id = 'other'")],
  ["evidence from another time", "createdAt", setEvidence("created_at = created_at - interval '1 day'")],
  ["evidence with a later expiry", "expiresAt", setEvidence("expires_at = expires_at + interval '1 day'")],
  ["evidence that is marked as used", "consumedAt", setEvidence("consumed_at = now()")],
  ["another digest", "digest", setRow("digest = 'other'")],
  ["another tool", "toolName", setRow("tool_name = 'pay'")],
  ["another person who approved it", "principalId", setRow("decided_by = 'lead'")],
  ["another decision", "decision", setRow("decision_type = 'edit'")],
  ["another time of the decision", "decidedAt", setRow("decided_at = decided_at + interval '1 second'")],
  ["another reason", "reasonHash", setRow("decision_reason = 'Fine'")],
  ["an answer", "responseHash", setRow("response_json = '1'")],
  [
    "arguments that nobody edited",
    "decision",
    setRow(`edited_input_json = '{"amount":9}', edited_digest = 'other'`),
  ],
  [
    "evidence that was used before, in rows that were reset",
    "status",
    async (approval) => {
      expect(await claim(approval)).toMatchObject({ outcome: "claimed" });
      await setRow("status = 'approved', started_at = null")(approval);
      await setEvidence("consumed_at = null")(approval);
    },
  ],
  [
    "expired evidence",
    "expiresAt",
    () => {
      offset += 61 * 60_000;
    },
  ],
];

async function expectRefused(approval: Approval, field: string): Promise<void> {
  expect(await claim(approval)).toMatchObject({
    ...{ outcome: "refused", approval: { status: "withdrawn", withdrawalCause: "evidence_invalid" } },
  });
  expect((await store.auditTrail("acme", approval.id)).at(-1)).toMatchObject({
    ...{ type: "approval.withdrawn", data: { cause: "evidence_invalid", field } },
  });
  expect(await claim(approval)).toMatchObject({ outcome: "refused" });
}

describe("a call does not start with", () => {
  it.each(forgeries)("%s (%s)", async (_what, field, forge) => {
    const approval = await approve();
    await forge(approval);
    await expectRefused(approval, field);
  });

  it("an approval that nobody made (evidence)", async () => {
    const approval = await propose();
    await setRow(approvedByHand)(approval);
    await expectRefused(approval, "evidence");
  });
});

it("a call whose start somebody wrote into its row is interrupted", async () => {
  const approval = await approve();
  await setRow("status = 'executing', handler_kind = 'idempotent', started_at = now()")(approval);
  expect(await store.claim(approval.id, "idempotent", () => undefined, signer)).toMatchObject({
    ...{ outcome: "refused", approval: { status: "interrupted" } },
  });
  expect((await store.auditTrail("acme", approval.id)).at(-1)?.data).toMatchObject({
    ...{ cause: "evidence_invalid", field: "status" },
  });
});

it("a call starts with the evidence of its approval", async () => {
  expect(await claim(await approve())).toMatchObject({ outcome: "claimed" });
});

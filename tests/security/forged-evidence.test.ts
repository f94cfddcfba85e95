import type { Approval } from "countersign";
import { createEvidenceSigner } from "countersign/evidence";
import { CompactSign, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../support/audit-log.js";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import type { Store } from "../support/store.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

// tests/decisions/evidence.test.ts tests evidence through whole runs, after crashes and with several keys.

const secret = "one-secret-that-is-long-enough-for-a-key";
const signer = createEvidenceSigner({ current: { id: "current", secret }, ttl: "10m" });
const json = (part: string | undefined) => JSON.parse(Buffer.from(part ?? "", "base64url").toString());
const base64 = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");

describe("a writer to the database without the signing key", () => {
  let database: Awaited<ReturnType<typeof freshPostgres>>;
  let store: Store;
  let offset = 0;
  beforeAll(async () => {
    database = await freshPostgres();
    store = await openStore(database, () => offset);
  });
  afterAll(() => database[Symbol.asyncDispose]());

  const propose = async (tenantId = "acme"): Promise<Approval> => {
    const [approval] = await proposeCall(store, { tenantId });
    if (!approval) throw new Error("unreachable");
    return approval;
  };
  const approve = async (tenantId = "acme"): Promise<Approval> => {
    const { id: approvalId, digest } = await propose(tenantId);
    const principal = { id: "finance", tenantId, roles: [] };
    const decided = await store.decide(
      { approvalId, principal, type: "approve", digest, reason: null },
      signer,
    );
    if (decided.outcome !== "decided") throw new Error("unreachable");
    return decided.approval;
  };
  const claim = ({ id }: Approval) => store.claim(id, "once", () => undefined, signer);
  const tokenOf = async ({ id }: Approval) => {
    const [row] = await database.admin`select token from countersign.evidence where approval_id = ${id}`;
    const [header, payload, signature = ""] = String(row?.token).split(".");
    return { header: json(header), payload: json(payload), signature };
  };
  const setToken = ({ id }: Approval, token: string) =>
    database.admin`update countersign.evidence set token = ${token} where approval_id = ${id}`;
  /** Replaces one approval's evidence, with its signed token, by another's. */
  const copy = (from: Approval, to: Approval) => database.admin`
    update countersign.evidence set (token, digest, decision, created_at, expires_at, id)
      = (select token, digest, decision, created_at, expires_at, id || '-copy' from countersign.evidence where approval_id = ${from.id})
      where approval_id = ${to.id}`;

  const cases: [string, string, () => Promise<Approval>][] = [
    [
      "an approved row that has no evidence",
      "evidence",
      async () => {
        const approval = await propose();
        await database.admin`
          update countersign.approvals set status = 'approved', decision_type = 'approve', decided_by = 'finance',
            decided_at = now() where id = ${approval.id}`;
        return approval;
      },
    ],
    [
      "evidence whose algorithm is none",
      "token",
      async () => {
        const approval = await approve();
        await setToken(approval, new UnsecuredJWT((await tokenOf(approval)).payload).encode());
        return approval;
      },
    ],
    [
      "evidence signed with another key under the known key id",
      "signature",
      async () => {
        const approval = await approve();
        const { header, payload } = await tokenOf(approval);
        const forged = new CompactSign(new TextEncoder().encode(JSON.stringify(payload)));
        const key = new TextEncoder().encode("another-secret-that-is-long-enough-too!!");
        await setToken(approval, await forged.setProtectedHeader(header).sign(key));
        return approval;
      },
    ],
    [
      "evidence with an unknown key id",
      "keyId",
      async () => {
        const approval = await approve();
        const { header, payload, signature } = await tokenOf(approval);
        await setToken(approval, `${base64({ ...header, kid: "eve" })}.${base64(payload)}.${signature}`);
        return approval;
      },
    ],
    [
      "evidence with a changed claim",
      "signature",
      async () => {
        const approval = await approve();
        const { header, payload, signature } = await tokenOf(approval);
        await setToken(approval, `${base64(header)}.${base64({ ...payload, toolName: "pay" })}.${signature}`);
        return approval;
      },
    ],
    [
      "another approval's evidence",
      "id",
      async () => {
        const [from, to] = [await approve(), await approve()];
        await copy(from, to);
        return to;
      },
    ],
    [
      "another tenant's evidence",
      "id",
      async () => {
        const [from, to] = [await approve("other"), await approve()];
        await copy(from, to);
        return to;
      },
    ],
    [
      "another tenant's evidence row moved to the approval",
      "tenantId",
      async () => {
        const [from, to] = [await approve("other"), await approve()];
        await database.admin`delete from countersign.evidence where approval_id = ${to.id}`;
        await database.admin`
          update countersign.evidence set tenant_id = 'acme', approval_id = ${to.id} where approval_id = ${from.id}`;
        return to;
      },
    ],
    [
      "expired evidence",
      "expiresAt",
      async () => {
        const approval = await approve();
        offset += 61 * 60_000;
        return approval;
      },
    ],
    [
      "evidence that was used before",
      "status",
      async () => {
        const approval = await approve();
        expect(await claim(approval)).toMatchObject({ outcome: "claimed" });
        await database.admin`update countersign.approvals set status = 'approved', started_at = null where id = ${approval.id}`;
        return approval;
      },
    ],
    [
      "evidence from before somebody edited the row",
      "decision",
      async () => {
        const approval = await approve();
        await database.admin`
          update countersign.approvals set edited_input_json = '{"id":"A-1","amount":9}', edited_digest = 'other'
            where id = ${approval.id}`;
        return approval;
      },
    ],
    [
      "evidence for another digest",
      "digest",
      async () => {
        const approval = await approve();
        await database.admin`update countersign.approvals set digest = 'other' where id = ${approval.id}`;
        return approval;
      },
    ],
  ];

  it.each(cases)("cannot start a call with %s", async (_what, field, forge) => {
    const approval = await forge();
    expect(await claim(approval)).toMatchObject({
      outcome: "refused",
      approval: { status: "withdrawn", withdrawalCause: "evidence_invalid" },
    });
    expect((await store.auditTrail("acme", approval.id)).at(-1)).toMatchObject({
      type: "approval.withdrawn",
      data: { cause: "evidence_invalid", field },
    });
    expect(await claim(approval)).toMatchObject({ outcome: "refused" });
  });
});

it("a run whose approval was forged continues without its tool, and tells the model why", async () => {
  await using world = await openWaitingRefund({ countersign: { signingKey: secret } });
  const { harness, approval, runId } = world;
  await harness.engine.stop();
  await world.database.admin`
    update countersign.approvals set status = 'approved', decision_type = 'approve', decided_by = 'finance',
      decided_at = now() where id = ${approval.id}`;
  await harness.engine.start();
  await harness.clock.advance("31m");
  await harness.ended(runId);
  expect(world.effects).toEqual([]);
  expect(await harness.approval(approval.id)).toMatchObject({
    status: "withdrawn",
    withdrawalCause: "evidence_invalid",
  });
  expect(JSON.stringify(harness.model.requests[1]?.body)).toContain("could not be verified");
});

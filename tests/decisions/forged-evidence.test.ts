import { createEvidenceSigner } from "countersign/evidence";
import { CompactSign, UnsecuredJWT } from "jose";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import {
  afterApproval,
  evidenceRow,
  secret,
  type WaitingRefund,
  withKey,
} from "../support/evidence/tampering.js";
import { openHarness } from "../support/harness.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

const twoRefunds = {
  toolCalls: [
    { name: "refund", input: { id: "A-1", amount: 80 } },
    { name: "refund", input: { id: "A-2", amount: 90 } },
  ],
};

const setToken = async ({ database }: WaitingRefund, token: string) =>
  database.admin`update countersign.evidence set token = ${token}`;

/** The parts of a token, from which a test builds a forged one. */
function partsOf(token: string) {
  const [header = "", payload = "", signature = ""] = token.split(".");
  const read = (part: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(part, "base64url").toString());
  return { header: read(header), payload: read(payload), signature };
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");

describe("a call without valid evidence", () => {
  const expectWithdrawn = (field: string, world: Awaited<ReturnType<typeof afterApproval>>) => {
    expect(world.effects).toEqual([]);
    expect(world.approval).toMatchObject({ status: "withdrawn", withdrawalCause: "evidence_invalid" });
    expect(world.last).toMatchObject({ cause: "evidence_invalid", field });
    expect(world.told).toContain("could not be verified");
  };

  it("is withdrawn if somebody wrote its approval into the database", async () => {
    await using world = await openWaitingRefund(withKey);
    const { harness, runId, approval, effects, database } = world;
    await database.admin`
      update countersign.approvals set status = 'approved', decision_type = 'approve', decided_by = 'finance',
        decided_at = now() where id = ${approval.id}`;
    await database.admin`
      insert into countersign.outbox (request_id, tenant_id, created_at, attempts, next_attempt_at)
      values (${approval.requestId}, 'acme', now(), 0, now() - interval '1 minute')`;
    await harness.clock.advance(61_000);
    await harness.ended(runId);
    expect(effects).toEqual([]);
    expect(await harness.approval(approval.id)).toMatchObject({ withdrawalCause: "evidence_invalid" });
    const trail = await harness.store.auditTrail("acme", approval.id);
    expect(trail.at(-1)?.data).toMatchObject({ field: "evidence" });
  });

  const forgeries: [string, string, (world: WaitingRefund) => unknown][] = [
    [
      "signature",
      "another key signed the evidence under the known key id",
      async (world) => {
        const { header, payload } = partsOf((await evidenceRow(world)).token);
        await setToken(
          world,
          await new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
            .setProtectedHeader({ ...header, alg: "HS256" })
            .sign(new TextEncoder().encode(secret)),
        );
      },
    ],
    [
      "token",
      "the evidence has no signature",
      async (world) => {
        const { payload } = partsOf((await evidenceRow(world)).token);
        await setToken(world, new UnsecuredJWT(payload).encode());
      },
    ],
    [
      "token",
      "the algorithm is none in an otherwise unchanged header",
      async (world) => {
        const { header, payload } = partsOf((await evidenceRow(world)).token);
        await setToken(world, `${encode({ ...header, alg: "none" })}.${encode(payload)}.`);
      },
    ],
    [
      "keyId",
      "the key is unknown",
      async (world) => {
        const { header, payload, signature } = partsOf((await evidenceRow(world)).token);
        await setToken(world, `${encode({ ...header, kid: "other" })}.${encode(payload)}.${signature}`);
      },
    ],
    [
      "typ",
      "the token has another type",
      async (world) => {
        const { header, payload, signature } = partsOf((await evidenceRow(world)).token);
        await setToken(world, `${encode({ ...header, typ: "JWT" })}.${encode(payload)}.${signature}`);
      },
    ],
    [
      "signature",
      "the payload was changed",
      async (world) => {
        const { header, payload, signature } = partsOf((await evidenceRow(world)).token);
        await setToken(
          world,
          `${encode(header)}.${encode({ ...payload, principalId: "lead" })}.${signature}`,
        );
      },
    ],
    [
      "principalId",
      "the approval names another person",
      ({ database }) => database.admin`update countersign.approvals set decided_by = 'lead'`,
    ],
    [
      "decision",
      "the approval names another decision",
      ({ database }) => database.admin`update countersign.approvals set decision_type = 'edit'`,
    ],
    [
      "expiresAt",
      "the evidence row has a later expiry",
      ({ database }) =>
        database.admin`update countersign.evidence set expires_at = expires_at + interval '1 day'`,
    ],
    [
      "consumedAt",
      "the evidence row is marked as consumed",
      ({ database }) => database.admin`update countersign.evidence set consumed_at = now()`,
    ],
    [
      "evidence",
      "the evidence row belongs to another tenant",
      ({ database }) => database.admin`update countersign.evidence set tenant_id = 'other'`,
    ],
  ];
  it.each(forgeries)(
    "is withdrawn, with the field %s in the audit log, if %s",
    async (field, _name, forge) => {
      expectWithdrawn(field, await afterApproval(forge));
    },
  );

  it("is withdrawn if its evidence has expired", async () => {
    const world = await afterApproval(({ harness }) => harness.clock.advance(32 * 60_000), {
      countersign: { signingKey: { current: { id: "a", secret }, ttl: "1m" } },
    });
    expectWithdrawn("expiresAt", world);
  });

  it("is withdrawn if its evidence was copied from another approval", async () => {
    await using world = await openTwoRefunds();
    const { harness, database, first, second, runId, effects } = world;
    await harness.decide(first, "approve");
    await harness.engine.stop();
    await harness.decide(second, "approve");
    await database.admin`
      update countersign.evidence set (token, digest, id) = (select token, digest, 'copied' from countersign.evidence
        where approval_id = ${first.id}) where approval_id = ${second.id}`;
    await harness.engine.start();
    await harness.ended(runId);
    expect(effects).toHaveLength(1);
    expect((await harness.store.auditTrail("acme", second.id)).at(-1)?.data).toMatchObject({
      cause: "evidence_invalid",
      field: "id",
    });
  });

  it("is withdrawn if it has run before and its rows were reset", async () => {
    await using world = await openWaitingRefund(withKey);
    const { harness, approval, runId, database, effects } = world;
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    await database.admin`update countersign.approvals set status = 'approved', started_at = null`;
    await database.admin`update countersign.evidence set consumed_at = null`;
    const stored = await harness.store.getApproval("acme", approval.id);
    expect(stored?.status).toBe("approved");
    const signer = createEvidenceSigner(secret);
    const claim = await harness.store.claim(approval.id, "once", () => undefined, signer);
    expect(claim).toMatchObject({ outcome: "refused", approval: { withdrawalCause: "evidence_invalid" } });
    expect(effects).toHaveLength(1);
  });

  it("is interrupted if somebody forged its start in the database", async () => {
    await using world = await openWaitingRefund(withKey);
    const { harness, approval, database } = world;
    await database.admin`
      update countersign.approvals set status = 'executing', handler_kind = 'idempotent', started_at = now()`;
    const claim = await harness.store.claim(
      approval.id,
      "idempotent",
      () => undefined,
      createEvidenceSigner(secret),
    );
    expect(claim).toMatchObject({ outcome: "refused", approval: { status: "interrupted" } });
    expect((await harness.store.auditTrail("acme", approval.id)).at(-1)?.data).toMatchObject({
      cause: "evidence_invalid",
      field: "status",
    });
  });
});

/** Two pending refunds of one model response. */
async function openTwoRefunds() {
  const database = await freshPostgres();
  const { tools, effects } = deskTools();
  const harness = await openHarness({ database, tools, reply: inTurns(twoRefunds), ...withKey });
  const { runId } = await harness.say("Refund both");
  const [first, second] = await harness.pending(2);
  if (!first || !second) throw new Error("unreachable");
  return {
    database,
    harness,
    runId,
    first,
    second,
    effects,
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

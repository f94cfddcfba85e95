import { inspect } from "node:util";
import { createTool } from "@inngest/agent-kit";
import {
  ask,
  type CountersignError,
  type CountersignOptions,
  createCountersign,
  definePolicy,
  durable,
  idempotent,
  notify,
  type SigningKey,
} from "countersign";
import { createEvidenceSigner, verifyEvidence } from "countersign/evidence";
import { postgresStore } from "countersign/postgres";
import { Inngest } from "inngest";
import { CompactSign, UnsecuredJWT } from "jose";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { eventually, openHarness } from "../support/harness.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

const secret = "one-secret-that-is-long-enough-for-a-key";
const otherSecret = "another-secret-that-is-long-enough-too!!";
const withKey = { countersign: { signingKey: secret } };
const twoRefunds = {
  toolCalls: [
    { name: "refund", input: { id: "A-1", amount: 80 } },
    { name: "refund", input: { id: "A-2", amount: 90 } },
  ],
};

type World = Awaited<ReturnType<typeof openWaitingRefund>>;

/** Changes the database by hand between an approval and its start, and lets the run go on. */
async function afterApproval(
  change: (world: World) => unknown,
  options: Parameters<typeof openWaitingRefund>[0] = withKey,
) {
  await using world = await openWaitingRefund(options);
  const { harness, runId, approval, effects } = world;
  await harness.engine.stop();
  await harness.decide(approval, "approve");
  await change(world);
  await harness.engine.start();
  await harness.ended(runId);
  const trail = await harness.store.auditTrail("acme", approval.id);
  return {
    effects,
    approval: await harness.approval(approval.id),
    last: trail.at(-1)?.data,
    trail,
    told: JSON.stringify(harness.model.requests[1]?.body),
  };
}

async function evidenceRow({ database }: World) {
  const [row] = await database.admin`select * from countersign.evidence`;
  if (!row) throw new Error("there is no evidence");
  return row;
}

const setToken = async ({ database }: World, token: string) =>
  database.admin`update countersign.evidence set token = ${token}`;

/** The parts of a token, to be put together otherwise. */
function partsOf(token: string) {
  const [header = "", payload = "", signature = ""] = token.split(".");
  const read = (part: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(part, "base64url").toString());
  return { header: read(header), payload: read(payload), signature };
}

const write = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");

describe("with a signing key", () => {
  it("a decision writes one signed proof, which its start uses up and the log names", async () => {
    await using world = await openWaitingRefund(withKey);
    const { harness, runId, approval, effects } = world;
    await harness.engine.stop();
    await harness.decide(approval, "approve");
    const row = await evidenceRow(world);
    expect(row).toMatchObject({ approval_id: approval.id, digest: approval.digest, consumed_at: null });
    const reading = await verifyEvidence(row.token, secret);
    expect(reading).toMatchObject({
      ok: true,
      keyId: row.key_id,
      claims: {
        id: row.id,
        tenantId: "acme",
        approvalId: approval.id,
        toolName: "refund",
        digest: approval.digest,
        decision: "approve",
        principalId: "finance",
        origin: "runtime-ui-confirm",
      },
    });
    expect(await verifyEvidence(row.token, otherSecret)).toEqual({ ok: false, field: "keyId" });
    await harness.engine.start();
    await harness.ended(runId);
    expect(effects).toHaveLength(1);
    expect((await evidenceRow(world)).consumed_at).not.toBeNull();
    const trail = await harness.store.auditTrail("acme", approval.id);
    for (const type of ["approval.approved", "approval.executing"]) {
      expect(trail.find((entry) => entry.type === type)?.data).toMatchObject({
        evidenceId: row.id,
        keyId: row.key_id,
      });
    }
    expect(JSON.stringify(trail)).not.toContain(row.token);
  });

  it("a denial is proven as well", async () => {
    await using world = await openWaitingRefund(withKey);
    await world.harness.decide(world.approval, "deny");
    expect(await evidenceRow(world)).toMatchObject({ decision: "deny", principal_id: "finance" });
  });

  it("the proof of an edit is about the changed call", async () => {
    await using world = await openWaitingRefund({
      ...withKey,
      policy: definePolicy({
        tools: { refund: ask({ decisions: ["approve", "edit"], editable: ["amount"] }) },
      }),
    });
    const { harness, runId, approval, effects } = world;
    const body = { type: "edit", digest: approval.digest, input: { id: "A-1", amount: 50 } };
    await harness.call("finance", `/approvals/${approval.id}/decision`, { method: "POST", body });
    await harness.ended(runId);
    expect(effects).toEqual([{ tool: "refund", input: { id: "A-1", amount: 50 } }]);
    const stored = await harness.store.getApproval("acme", approval.id);
    expect((await evidenceRow(world)).digest).toBe(stored?.edited?.digest);
    expect(stored?.edited?.digest).not.toBe(approval.digest);
  });

  it("a call that a grant lets through has a proof by its grantor, under a reviewed contract", async () => {
    const call = (id: string) => ({ toolCalls: [{ name: "refund", input: { id, amount: 80 } }] });
    await using world = await openWaitingRefund({
      ...withKey,
      policy: definePolicy({ tools: { refund: ask({ grantable: ["thread"] }) } }),
      reply: inTurns(call("A-1"), call("A-2")),
    });
    const { harness, approval, database, runId, effects } = world;
    const answer = await harness.call("finance", `/approvals/${approval.id}/decision`, {
      method: "POST",
      body: { type: "approve", digest: approval.digest, grant: { scope: "thread", arguments: "any" } },
    });
    expect(answer.status).toBe(200);
    await harness.ended(runId);
    expect(effects).toHaveLength(2);
    const rows = await database.admin`
      select origin, principal_id, decision, consumed_at is not null as consumed from countersign.evidence
      order by created_at`;
    const proof = { principal_id: "finance", decision: "approve", consumed: true };
    expect([...rows]).toEqual([
      { ...proof, origin: "runtime-ui-confirm" },
      { ...proof, origin: "operator-contract-review" },
    ]);
  });

  it("what the policy lets run by itself needs no proof", async () => {
    const { tools, effects } = deskTools();
    await using world = await openWaitingRefund({
      ...withKey,
      tools,
      policy: definePolicy({ tools: { refund: ask(), email: notify() } }),
      reply: inTurns(
        { toolCalls: [{ name: "refund", input: { id: "A-1", amount: 80 } }] },
        { toolCalls: [{ name: "email", input: { to: "customer", text: "Refunded" } }] },
      ),
    });
    await world.harness.decide(world.approval, "approve");
    await world.harness.ended(world.runId);
    expect(effects.map(({ tool }) => tool)).toEqual(["refund", "email"]);
  });

  it("tools that go on after a crash do so against the proof that their start has used up", async () => {
    const started: string[] = [];
    const tool = (name: string) =>
      createTool({
        name,
        parameters: z.object({}),
        handler: () => {
          started.push(name);
          return "done";
        },
      });
    for (const made of [idempotent(tool("refund")), durable(tool("refund"))]) {
      started.length = 0;
      let failed = false;
      await using world = await openWaitingRefund({
        ...withKey,
        tools: [made],
        policy: definePolicy({ tools: { refund: ask() } }),
        reply: inTurns({ toolCalls: [{ name: "refund", input: {} }] }),
        between: (store) =>
          new Proxy(store, {
            get(target, verb) {
              const carryOut = Reflect.get(target, verb);
              if (verb !== "claim") return carryOut;
              return async (...args: unknown[]) => {
                const claimed = await Reflect.apply(carryOut, target, args);
                if (!failed) {
                  failed = true;
                  throw new Error("cut off after the claim");
                }
                return claimed;
              };
            },
          }),
      });
      await world.harness.decide(world.approval, "approve");
      await world.harness.ended(world.runId);
      expect(failed).toBe(true);
      expect(started.length).toBeGreaterThan(0);
      expect((await world.harness.approval(world.approval.id)).status).toBe("executed");
    }
  });
});

describe("a call whose proof does not hold is withdrawn and does not run", () => {
  const refused = (field: string, world: Awaited<ReturnType<typeof afterApproval>>) => {
    expect(world.effects).toEqual([]);
    expect(world.approval).toMatchObject({ status: "withdrawn", withdrawalCause: "evidence_invalid" });
    expect(world.last).toMatchObject({ cause: "evidence_invalid", field });
    expect(world.told).toContain("could not be verified");
  };

  it("there is none, since somebody wrote the approval into the database", async () => {
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

  const forgeries: [string, string, (world: World) => unknown][] = [
    [
      "signature",
      "other key under the known name",
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
      "no signature at all",
      async (world) => {
        const { payload } = partsOf((await evidenceRow(world)).token);
        await setToken(world, new UnsecuredJWT(payload).encode());
      },
    ],
    [
      "token",
      "algorithm none with the header's other fields",
      async (world) => {
        const { header, payload } = partsOf((await evidenceRow(world)).token);
        await setToken(world, `${write({ ...header, alg: "none" })}.${write(payload)}.`);
      },
    ],
    [
      "keyId",
      "a key that nobody knows",
      async (world) => {
        const { header, payload, signature } = partsOf((await evidenceRow(world)).token);
        await setToken(world, `${write({ ...header, kid: "other" })}.${write(payload)}.${signature}`);
      },
    ],
    [
      "typ",
      "another type of token",
      async (world) => {
        const { header, payload, signature } = partsOf((await evidenceRow(world)).token);
        await setToken(world, `${write({ ...header, typ: "JWT" })}.${write(payload)}.${signature}`);
      },
    ],
    [
      "signature",
      "another payload",
      async (world) => {
        const { header, payload, signature } = partsOf((await evidenceRow(world)).token);
        await setToken(world, `${write(header)}.${write({ ...payload, principalId: "lead" })}.${signature}`);
      },
    ],
    [
      "principalId",
      "another person in the row",
      ({ database }) => database.admin`update countersign.approvals set decided_by = 'lead'`,
    ],
    [
      "decision",
      "another decision in the row",
      ({ database }) => database.admin`update countersign.approvals set decision_type = 'edit'`,
    ],
    [
      "expiresAt",
      "a longer time in the row",
      ({ database }) =>
        database.admin`update countersign.evidence set expires_at = expires_at + interval '1 day'`,
    ],
    [
      "consumedAt",
      "used up",
      ({ database }) => database.admin`update countersign.evidence set consumed_at = now()`,
    ],
    [
      "evidence",
      "filed under another tenant",
      ({ database }) => database.admin`update countersign.evidence set tenant_id = 'other'`,
    ],
  ];
  it.each(forgeries)("%s: %s", async (field, _name, forge) => {
    refused(field, await afterApproval(forge));
  });

  it("its time is over", async () => {
    const world = await afterApproval(({ harness }) => harness.clock.advance(32 * 60_000), {
      countersign: { signingKey: { current: { id: "a", secret }, ttl: "1m" } },
    });
    refused("expiresAt", world);
  });

  it("it was copied from another approval", async () => {
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

  it("its call has started before, though the rows say otherwise", async () => {
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

  it("somebody wrote that it was started, to have it go on", async () => {
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
      field: "evidence",
    });
  });
});

it("one proof starts one call, however many workers claim at once", async () => {
  await using world = await openWaitingRefund(withKey);
  const { harness, approval } = world;
  await harness.engine.stop();
  await harness.decide(approval, "approve");
  const signer = createEvidenceSigner(secret);
  const claims = await Promise.all(
    Array.from({ length: 20 }, () => harness.store.claim(approval.id, "once", () => undefined, signer)),
  );
  expect(claims.filter(({ outcome }) => outcome === "claimed")).toHaveLength(1);
});

describe("keys", () => {
  const older = { id: "2025", secret };
  const newer = { id: "2026", secret: otherSecret };

  it("proofs of a previous key still hold, those of a dropped one do not", async () => {
    for (const { keys, runs } of [
      { keys: { current: newer, previous: [older] }, runs: true },
      { keys: { current: newer }, runs: false },
    ]) {
      await using world = await openWaitingRefund({ countersign: { signingKey: { current: older } } });
      const { harness, approval } = world;
      await harness.engine.stop();
      await harness.decide(approval, "approve");
      const claim = await harness.store.claim(
        approval.id,
        "once",
        () => undefined,
        createEvidenceSigner(keys),
      );
      expect(claim.outcome).toBe(runs ? "claimed" : "refused");
      if (!runs) {
        expect((await harness.store.auditTrail("acme", approval.id)).at(-1)?.data).toMatchObject({
          field: "keyId",
        });
      }
    }
  });

  it("a plain secret may become a previous one without a name", async () => {
    await using world = await openWaitingRefund(withKey);
    await world.harness.decide(world.approval, "deny");
    const { token } = await evidenceRow(world);
    const rotated: SigningKey = { current: { secret: otherSecret }, previous: [{ secret }] };
    expect((await verifyEvidence(token, rotated)).ok).toBe(true);
  });

  it.each<[string, unknown]>([
    ["signingKey", "short-secret"],
    ["signingKey", new Uint8Array(31)],
    ["signingKey", 5],
    ["signingKey", { current: older, older: [] }],
    ["signingKey.current", { current: undefined }],
    ["signingKey.current.secret", { current: { id: "a", secret: "short-secret" } }],
    ["signingKey.current.id", { current: { id: " ", secret } }],
    ["signingKey.previous", { current: older, previous: older }],
    ["signingKey.previous[0].secret", { current: older, previous: [{ id: "b", secret: "short-secret" }] }],
    ["signingKey.previous[0].id", { current: older, previous: [{ id: "2025", secret: otherSecret }] }],
    ["signingKey.ttl", { current: older, ttl: "soon" }],
    ["signingKey.ttl", { current: older, ttl: "2y" }],
  ])("%s that cannot be used is named, and its value is not", (field, signingKey) => {
    let error: CountersignError | undefined;
    try {
      instance({ signingKey: signingKey as SigningKey });
    } catch (thrown) {
      error = thrown as CountersignError;
    }
    expect(error).toMatchObject({ code: "invalid_option" });
    expect(error?.message.startsWith(`${field}: `)).toBe(true);
    expect(inspect(error, { depth: 9 })).not.toContain("short-secret");
    expect(inspect(error, { depth: 9 })).not.toContain(secret);
  });

  it("are in nothing that an instance shows", () => {
    const countersign = instance({ signingKey: { current: older, previous: [newer] } });
    for (const shown of [inspect(countersign, { depth: 6 }), safeJson(countersign)]) {
      expect(shown).not.toContain(secret);
      expect(shown).not.toContain(otherSecret);
      expect(shown).not.toContain("hmac");
    }
  });
});

it("without a key no proofs are written and none are asked for", async () => {
  const { effects, approval } = await afterApproval(async ({ database }) => {
    expect(await database.admin`select 1 from countersign.evidence`).toHaveLength(0);
  }, {});
  expect(approval.status).toBe("executed");
  expect(effects).toHaveLength(1);
});

describe("GET /approvals/:id/evidence", () => {
  it("shows the proof to those who see the call, and its token to auditors", async () => {
    await using world = await openWaitingRefund({ ...withKey });
    const { harness, approval } = world;
    const path = `/approvals/${approval.id}/evidence`;
    expect((await harness.call("finance", path)).status).toBe(404);
    await harness.decide(approval, "deny");
    const { body } = await harness.call("finance", path);
    const { token, ...row } = await evidenceRow(world);
    expect(body).toMatchObject({ id: row.id, digest: approval.digest, decision: "deny", consumedAt: null });
    expect(body).not.toHaveProperty("token");
    expect((await harness.call("stranger", path)).status).toBe(404);
    expect((await harness.call("auditor", path)).body.token).toBe(token);
  });
});

describe("requireApproval", () => {
  it("goes on only against a proof, also where somebody wrote that it already had", async () => {
    for (const forged of ["approved", "executed"]) {
      const answers: unknown[] = [];
      await using world = await openWaitingRefund({
        ...withKey,
        run: async ({ countersign, step }) => {
          const asked = { action: "refund", details: { id: "A-1" } };
          answers.push(await countersign.requireApproval(step, asked));
          return "done";
        },
      });
      const { harness, approval, database, runId } = world;
      await database.admin`
        update countersign.approvals set status = ${forged}, decision_type = 'approve', decided_by = 'finance',
          decided_at = now() where id = ${approval.id}`;
      await database.admin`
        insert into countersign.outbox (request_id, tenant_id, created_at, attempts, next_attempt_at)
        values (${approval.requestId}, 'acme', now(), 0, now() - interval '1 minute')`;
      await harness.clock.advance(61_000);
      await harness.ended(runId);
      await eventually(() => answers[0], "the answer");
      expect(answers).toMatchObject([
        { approved: false, refusal: { message: expect.stringContaining("could not be verified") } },
      ]);
    }
  });
});

function instance(options: Partial<CountersignOptions>) {
  return createCountersign({
    inngest: new Inngest({ id: "keys" }),
    store: postgresStore({ url: "postgres://127.0.0.1/unused" }),
    policy: definePolicy({ tools: { refund: ask() } }),
    ...options,
  });
}

function safeJson(value: unknown): string {
  const seen = new WeakSet();
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null) return part;
    if (seen.has(part)) return undefined;
    seen.add(part);
    return part;
  });
}

/** Two refunds of one response that wait. */
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

import { ask, definePolicy } from "countersign";
import { verifyEvidence } from "countersign/evidence";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { secret, withKey } from "../../support/evidence/tampering.js";
import { onHold } from "../../support/holds.js";
import { appendToLog } from "../../support/postgres/append-to-log.js";
import { createRole } from "../../support/postgres/documented-roles.js";
import { openWaitingRefund } from "../../support/waiting-refund.js";
import { wakeUpTokenIn } from "../../support/wake-up-token.js";

// The attacker can write to every table and append to the log, and does not hold the key.

const holdMs = 30_000;
const rule = { approvers: { roles: ["finance", "lead"] }, holdFor: "1m" };
const policy = definePolicy({ tools: { refund: ask({ ...rule, decisions: ["approve", "respond"] }) } });
const byTwo = definePolicy({ tools: { refund: ask({ ...rule, quorum: 2 }) } });
const keys = [
  ["with a key", withKey],
  ["without a key", {}],
] as const;

async function open(options: Parameters<typeof openWaitingRefund>[0] = withKey) {
  const world = await openWaitingRefund({ policy, ...options });
  return { ...world, ...onHold(world) };
}

type World = Awaited<ReturnType<typeof open>>;

/** What the tests use of a decision that is held, as its row keeps it. */
const storedHold = z.object({
  ...{ type: z.string(), decidedBy: z.string(), roles: z.array(z.string()), decidedAt: z.string() },
  responseJson: z.string().nullable(),
  evidence: z.looseObject({ id: z.string(), keyId: z.string(), token: z.string() }).nullable(),
});

/** The decision that is held, as its row has it. */
async function heldIn({ database, approval }: World) {
  const [row] = await database.admin`select held from countersign.approvals where id = ${approval.id}`;
  return storedHold.parse(row?.held);
}

/** Writes by SQL what the end of the hold would write. */
async function takeEffect(
  world: World,
  status: "approved" | "responded",
  held: Awaited<ReturnType<typeof heldIn>>,
) {
  const { database, approval } = world;
  const { type, decidedBy, roles, decidedAt, responseJson, evidence } = held;
  if (evidence) {
    const row = Object.entries(evidence).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]);
    await database.admin`insert into countersign.evidence ${database.admin(Object.fromEntries(row))}`;
  }
  await database.admin`
    update countersign.approvals set status = ${status}, held = null, held_until = null, decision_type = ${type},
      decided_by = ${decidedBy}, decided_roles = ${roles}, decided_at = ${decidedAt}, response_json = ${responseJson}
    where id = ${approval.id}`;
  await appendToLog(database.admin, {
    ...{ tenantId: "acme", approvalId: approval.id, type: `approval.${status}`, actorId: decidedBy },
    data: {
      digest: approval.digest,
      roles,
      ...(evidence && { evidenceId: evidence.id, keyId: evidence.keyId }),
    },
  });
}

/** Wakes the run as the relay would, and waits for its end. */
async function wake({ harness, approval, runId }: World) {
  const { requestId } = approval;
  const token = await wakeUpTokenIn(harness.store, requestId);
  await harness.inngest.send({ name: "countersign/request.wake-up", data: { requestId, token } });
  await harness.ended(runId);
}

const changed = { status: "withdrawn", withdrawalCause: "digest_changed" };

describe("a decision that is held", () => {
  it.each(keys)("does not let its call start before the end of that time (%s)", async (_, options) => {
    await using world = await open(options);
    const { harness, approval, effects } = world;
    await world.held(holdMs);
    await takeEffect(world, "approved", await heldIn(world));
    expect(await harness.countersign.verifyAudit("acme")).toMatchObject({
      ok: false,
      problem: "row",
      message: expect.stringMatching(/the decision was held until .*, and took effect before/),
    });
    await wake(world);
    expect(effects).toEqual([]);
    expect(await harness.approval(approval.id)).toMatchObject(changed);
  });

  it("does not let its call start with an entry about another, shorter hold", async () => {
    await using world = await open();
    const { database, harness, approval, effects } = world;
    await world.held(holdMs);
    const held = await heldIn(world);
    const { claims } = (await verifyEvidence(held.evidence?.token ?? "", secret)) as {
      claims: { nbf: number };
    };
    const [row] =
      await database.admin`select held_until from countersign.approvals where id = ${approval.id}`;
    expect(claims.nbf * 1000).toBe(row?.held_until.getTime());
    await appendToLog(database.admin, {
      ...{ tenantId: "acme", approvalId: approval.id, type: "approval.held", actorId: "finance" },
      data: { type: "approve", digest: approval.digest, until: new Date(0).toISOString() },
    });
    await takeEffect(world, "approved", held);
    await wake(world);
    expect(effects).toEqual([]);
    expect(await harness.approval(approval.id)).toMatchObject({
      status: "withdrawn",
      withdrawalCause: "evidence_invalid",
    });
    expect((await harness.store.auditTrail("acme", approval.id)).at(-1)?.data).toMatchObject({
      field: "nbf",
    });
  });

  it("tells the model no answer before the end of that time", async () => {
    await using world = await open();
    await world.held(holdMs, { type: "respond", response: "Paid by hand" });
    await takeEffect(world, "responded", await heldIn(world));
    await wake(world);
    expect(JSON.stringify(world.harness.model.requests.at(-1)?.body)).not.toContain("Paid by hand");
  });

  it.each(keys)(
    "stays taken back although its row did not have it at that moment (%s)",
    async (_, options) => {
      await using world = await open(options);
      const { database, harness, approval, effects } = world;
      await world.held(holdMs);
      const [copy] = await database.admin`
      select held, held_until from countersign.approvals where id = ${approval.id}`;
      await database.admin`update countersign.approvals set held = null, held_until = null`;
      expect((await world.takeBack()).status).toBe(200);
      expect(await world.types()).toContain("approval.taken_back");
      await database.admin`
      update countersign.approvals set held = ${database.admin.json(copy?.held)}, held_until = ${copy?.held_until}`;
      await harness.clock.advance("2m");
      await harness.store.sweep();
      await harness.ended(world.runId);
      expect(effects).toEqual([]);
      expect(await harness.approval(approval.id)).toMatchObject(changed);
    },
  );
});

it("a vote stays taken back although its row was changed meanwhile, and the check of the log names the row", async () => {
  await using world = await open({ ...withKey, policy: byTwo });
  const { database, harness, approval } = world;
  await world.held(0);
  const [vote] = await database.admin`select token from countersign.votes`;
  await database.admin`update countersign.votes set taken_back_at = now()`;
  const other = {
    ok: false,
    message: "The log does not have the vote of finance as the row has it",
  };
  expect(await harness.countersign.verifyAudit("acme")).toMatchObject(other);
  expect((await world.takeBack()).body).toMatchObject({ votes: [], stillNeeded: { approvals: 2 } });
  expect(await world.types()).toContain("approval.taken_back");
  expect(await harness.countersign.verifyAudit("acme")).toMatchObject({ ok: true });
  await database.admin`update countersign.votes set taken_back_at = null, token = ${vote?.token}`;
  expect(await harness.countersign.verifyAudit("acme")).toMatchObject(other);
  expect((await harness.decide(approval, "approve", "lead")).body).toMatchObject({ status: "pending" });
});

it("the application's role writes no entry with a time that is yet to come", async () => {
  await using world = await open();
  await using role = await createRole(world.database);
  await role.giveRights();
  const app = postgres(role.url, { max: 1, onnotice: () => {} });
  const entry = { tenantId: "acme", approvalId: world.approval.id, actorId: "finance", data: {} } as const;
  await appendToLog(app, { ...entry, type: "approval.held" });
  await expect(appendToLog(app, { ...entry, type: "approval.approved" }, 20_000)).rejects.toMatchObject({
    code: "42501",
  });
  await app.end();
});

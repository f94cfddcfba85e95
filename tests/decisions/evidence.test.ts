import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy, durable, idempotent, notify } from "countersign";
import { verifyEvidence } from "countersign/evidence";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openStore } from "../support/audit-log.js";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { approvedCall, signer } from "../support/evidence/past.js";
import { afterApproval, evidenceRow, otherSecret, secret, withKey } from "../support/evidence/tampering.js";
import { eventually } from "../support/harness.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

describe("the signed evidence of a decision", () => {
  it("is written once, consumed by the call's start, and named in the audit log", async () => {
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

  it("covers the edited call after an edit", async () => {
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

  it("names the grantor and a reviewed contract if a grant approves the call", async () => {
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
    const evidence = { principal_id: "finance", decision: "approve", consumed: true };
    expect([...rows]).toEqual([
      { ...evidence, origin: "runtime-ui-confirm" },
      { ...evidence, origin: "operator-contract-review" },
    ]);
  });

  it("is not needed for calls that the policy runs without asking", async () => {
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

  it("still covers idempotent and durable tools that continue after a crash", async () => {
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
      await expect.poll(() => failed).toBe(true);
      await world.harness.engine.idle();
      await world.harness.clock.advance("5m");
      await world.harness.ended(world.runId);
      expect(started.length).toBeGreaterThan(0);
      expect((await world.harness.approval(world.approval.id)).status).toBe("executed");
    }
  });
});

it("the evidence of one decision starts one call, however many workers claim it at once", async () => {
  await using database = await freshPostgres();
  const store = await openStore(database);
  const { id } = await approvedCall(store);
  const claims = await Promise.all(
    Array.from({ length: 20 }, () => store.claim(id, "once", () => undefined, signer)),
  );
  expect(claims.filter(({ outcome }) => outcome === "claimed")).toHaveLength(1);
});

it("without a signing key, evidence is neither written nor required", async () => {
  const { effects, approval } = await afterApproval(async ({ database }) => {
    expect(await database.admin`select 1 from countersign.evidence`).toHaveLength(0);
  }, {});
  expect(approval.status).toBe("executed");
  expect(effects).toHaveLength(1);
});

describe("GET /approvals/:id/evidence", () => {
  it("shows the evidence to those who see the call, and its token to auditors", async () => {
    await using world = await openWaitingRefund({ ...withKey });
    const { harness, approval } = world;
    const path = `/approvals/${approval.id}/evidence`;
    expect((await harness.call("finance", path)).status).toBe(404);
    await harness.decide(approval, "deny");
    const { body } = await harness.call("finance", path);
    const { token, ...row } = await evidenceRow(world);
    expect(body).toMatchObject({
      ...{ id: row.id, digest: approval.digest, decision: "deny", principalId: "finance", consumedAt: null },
    });
    expect(body).not.toHaveProperty("token");
    expect((await harness.call("stranger", path)).status).toBe(404);
    expect((await harness.call("auditor", path)).body.token).toBe(token);
  });
});

describe("requireApproval", () => {
  it("refuses without evidence, also if somebody forged its approval or start in the database", async () => {
    for (const forged of ["approved", "executed"]) {
      const answers: unknown[] = [];
      await using world = await openWaitingRefund({
        ...withKey,
        run: async ({ countersign, step }) => {
          const request = { action: "refund", details: { id: "A-1" } };
          answers.push(await countersign.requireApproval(step, request));
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

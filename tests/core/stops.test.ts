import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTool, type Tool } from "@inngest/agent-kit";
import { allow, ask, definePolicy, deny, durable, idempotent, manual, notify, type Stop } from "countersign";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { wholeLog } from "../support/audit-log.js";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { type Harness, openHarness } from "../support/harness.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { patience, releaseCalls, stopCalls } from "../support/stops.js";
import type { Store } from "../support/store.js";

const refund = { name: "refund", input: { id: "A-1", amount: 80 } };
const refundOnce = inTurns({ toolCalls: [refund] });

const crashPoint = Symbol.for("countersign:crash-point");
const lastModelRequest = (harness: Harness) => JSON.stringify(harness.model.requests.at(-1)?.body);
const refusals = async (harness: Harness) =>
  (await wholeLog(harness.store, "acme")).filter(({ type }) => type === "call.refused");

describe("an engaged stop", () => {
  it("refuses calls of every verdict without asking anybody", async () => {
    await using database = await freshPostgres();
    const effects: string[] = [];
    const verdicts = {
      ...{ allowed: allow(), asked: ask(), notified: notify(), manual: manual(), denied: deny("Never") },
    };
    const names = Object.keys(verdicts);
    const tools = names.map((name) =>
      createTool({ name, parameters: z.object({}), handler: () => effects.push(name) }),
    );
    const reply = inTurns({ toolCalls: names.map((name) => ({ name, input: {} })) });
    const policy = definePolicy({ tools: verdicts });
    await using harness = await openHarness({ database, tools, policy, reply });
    const stops = await Promise.all(["*ed", "man*"].map((tools) => stopCalls(harness.store, tools)));
    const { runId } = await harness.say("Do everything");
    await harness.ended(runId);
    expect(effects).toEqual([]);
    expect(await harness.store.listApprovals({ tenantId: "acme", limit: 10 })).toEqual([]);
    for (const name of names)
      expect(lastModelRequest(harness)).toContain(
        `An operator has stopped calls of ${name}, so this call did not run. Do not call it again`,
      );
    // The reason is for people, not for the model.
    expect(lastModelRequest(harness)).not.toContain("leaked");
    const refused = (await refusals(harness)).map(({ data }) => [data.toolName, data.code, data.stopId]);
    expect(new Map(refused.map(([name, ...why]) => [name, why]))).toEqual(
      new Map(names.map((name) => [name, ["stopped", stops[name === "manual" ? 1 : 0]?.id]])),
    );
    expect(refused).toHaveLength(names.length);
    expect(await harness.store.verifyAudit("acme")).toMatchObject({ ok: true });
  });

  it("refuses a call of an MCP tool", async () => {
    const effectsFile = join(mkdtempSync(join(tmpdir(), "countersign-mcp-")), "effects");
    writeFileSync(effectsFile, "");
    await using database = await freshPostgres();
    await using harness = await openHarness({
      database,
      tools: [],
      policy: definePolicy({ tools: { "*": allow() } }),
      reply: inTurns({ toolCalls: [{ name: "files-delete_file", input: { path: "/tmp/x" } }] }),
      agent: {
        mcpServers: [
          {
            name: "files",
            transport: {
              type: "stdio",
              command: process.execPath,
              args: [fileURLToPath(new URL("../support/agents/mcp-server.mjs", import.meta.url))],
              env: { EFFECTS_FILE: effectsFile },
            },
          },
        ],
      },
    });
    await stopCalls(harness.store, "files-*");
    const { runId } = await harness.say("Delete it");
    await harness.ended(runId);
    expect(readFileSync(effectsFile, "utf8")).toBe("");
    expect(lastModelRequest(harness)).toContain("An operator has stopped calls of files-delete_file");
  });

  it("does not affect other tools or other tenants", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const policy = definePolicy({ tools: { "*": allow() } });
    await using harness = await openHarness({ database, tools, policy, reply: refundOnce });
    await stopCalls(harness.store, "email");
    await stopCalls(harness.store, "*", "another");
    const { runId } = await harness.say("Refund A-1");
    await harness.ended(runId);
    expect(effects).not.toEqual([]);
    expect(await refusals(harness)).toEqual([]);
  });

  it("refuses one of several calls of a response, and the others proceed", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const email = { name: "email", input: { to: "customer", text: "Done" } };
    const policy = definePolicy({ tools: { refund: ask(), email: allow() } });
    const reply = inTurns({ toolCalls: [email, refund] });
    await using harness = await openHarness({ database, tools, policy, reply });
    await stopCalls(harness.store, "email");
    const { runId } = await harness.say("Tell and refund");
    await harness.decide(await harness.onlyPending(), "approve");
    await harness.ended(runId);
    expect(effects.map(({ tool }) => tool)).toEqual(["refund"]);
    expect(lastModelRequest(harness)).toContain("An operator has stopped calls of email");
  });

  it("refuses a call that a grant covers, and leaves the grant unused", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const policy = definePolicy({ tools: { refund: ask({ grantable: ["team"] }) } });
    await using harness = await openHarness({ database, tools, policy, reply: refundOnce });
    const first = await harness.say("Refund A-1");
    const { id, digest } = await harness.onlyPending();
    const grant = { scope: "team", arguments: "any" };
    const body = { type: "approve", digest, grant };
    await harness.call("finance", `/approvals/${id}/decision`, { method: "POST", body });
    await harness.ended(first.runId);
    await stopCalls(harness.store);
    const second = await harness.say("Refund A-1");
    await harness.ended(second.runId);
    expect(effects).toHaveLength(1);
    expect(await harness.store.listGrants({ tenantId: "acme", limit: 1 })).toMatchObject([{ usesTaken: 0 }]);
  });

  it("makes requireApproval refuse at once, also after an approval", async () => {
    await using database = await freshPostgres();
    const answers: unknown[] = [];
    const { between } = stoppingAtClaim();
    await using harness = await openHarness({
      database,
      tools: [],
      reply: refundOnce,
      between,
      run: async ({ countersign, step, message }) => {
        const request = { action: "drop table", details: { table: message }, tenantId: "acme" };
        const answer = await countersign.requireApproval(step, request);
        await step.run("note", () => answers.push(answer));
      },
    });
    const waiting = await harness.say("orders");
    const approval = await harness.onlyPending();
    await harness.decide(approval, "approve");
    await harness.ended(waiting.runId);
    expect(await harness.approval(approval.id)).toMatchObject({
      status: "withdrawn",
      withdrawalCause: "stopped",
    });
    const later = await harness.say("customers");
    await harness.ended(later.runId);
    expect(answers).toMatchObject([
      { approved: false, refusal: { code: "stopped", approvalId: approval.id } },
      { approved: false, refusal: { code: "stopped", approvalId: null } },
    ]);
    expect(await harness.store.listApprovals({ tenantId: "acme", limit: 10 })).toHaveLength(1);
  });
});

/** Wraps the store and stops all calls just before the first claim, so after that call's approval. */
function stoppingAtClaim() {
  const stopped: Stop[] = [];
  const between = (store: Store) =>
    interceptedStore(store, {
      claim: async (carryOut, ...args) => {
        if (stopped.length === 0) stopped.push(await stopCalls(store));
        return carryOut(...args);
      },
    });
  return { stopped, between };
}

it("savePendingApproval rejects a stopped call, unless the host saved it before the stop", async () => {
  await using database = await freshPostgres();
  await using harness = await openHarness({
    database,
    tools: [],
    reply: refundOnce,
    countersign: { tenantId: "acme" },
  });
  const { history } = harness.countersign;
  const call = (approvalId: string) =>
    history.savePendingApproval({
      ...{ approvalId, threadId: "thread", eventIdToWaitFor: "event", toolCallId: approvalId },
      ...{ toolName: "refund", toolInput: { id: approvalId }, status: "pending", createdAt: new Date() },
    });
  await call("before");
  await stopCalls(harness.store);
  await call("before");
  await expect(call("after")).rejects.toMatchObject({ code: "call_refused", detail: { refusal: "stopped" } });
  expect(await harness.onlyPending()).toMatchObject({ id: "before" });
});

const kinds: Record<string, (tool: Tool.Any) => Tool.Any> = { plain: (tool) => tool, idempotent, durable };

const refundTool = (effects: unknown[], name = "refund") =>
  createTool({
    name,
    parameters: z.object({ id: z.string(), amount: z.number() }),
    handler: (input) => {
      effects.push(input);
      return "refunded";
    },
  });

it("an approved call does not start if its tool was stopped after the approval, whatever kind of tool it is", async () => {
  await using database = await freshPostgres();
  const effects: unknown[] = [];
  const { stopped, between } = stoppingAtClaim();
  const names = Object.keys(kinds);
  await using harness = await openHarness({
    database,
    tools: Object.entries(kinds).map(([name, declare]) => declare(refundTool(effects, name))),
    policy: definePolicy({ tools: { "*": ask() } }),
    reply: inTurns({ toolCalls: names.map((name) => ({ ...refund, name })) }),
    between,
  });
  const { runId } = await harness.say("Refund A-1");
  const asked = await harness.pending(names.length);
  for (const approval of asked) await harness.decide(approval, "approve");
  await harness.ended(runId);
  expect(effects).toEqual([]);
  for (const { id, toolName } of asked) {
    expect(await harness.approval(id)).toMatchObject({
      status: "withdrawn",
      withdrawalCause: "stopped",
      decision: { type: "approve" },
    });
    expect(lastModelRequest(harness)).toContain(`An operator has stopped calls of ${toolName}`);
    const trail = await harness.store.auditTrail("acme", id);
    expect(trail.at(-1)).toMatchObject({
      type: "approval.withdrawn",
      data: { cause: "stopped", stopId: stopped[0]?.id },
    });
  }
  expect(await harness.store.verifyAudit("acme")).toMatchObject({ ok: true });
});

it("an idempotent call whose process died as it started does not run under a stop", async () => {
  await using database = await freshPostgres();
  const effects: unknown[] = [];
  await using harness = await openHarness({
    database,
    tools: [idempotent(refundTool(effects))],
    policy: definePolicy({ tools: { refund: ask() } }),
    reply: refundOnce,
  });
  let crashed = false;
  onTestFinished(() => void Reflect.deleteProperty(globalThis, crashPoint));
  Reflect.set(globalThis, crashPoint, (name: string) => {
    if (name !== "after-claim" || crashed) return;
    crashed = true;
    throw new Error("The process died");
  });
  const { runId } = await harness.say("Refund A-1");
  const approval = await harness.onlyPending();
  await harness.decide(approval, "approve");
  await expect.poll(() => crashed, patience).toBe(true);
  await harness.engine.idle();
  await stopCalls(harness.store);
  // The step is repeated.
  await harness.clock.advance("5m");
  await harness.ended(runId);
  expect(effects).toEqual([]);
  expect((await harness.approval(approval.id)).status).toBe("interrupted");
  expect(lastModelRequest(harness)).toContain("may or may not have run");
});

it("a durable call that has started runs to its end under a stop", async () => {
  await using database = await freshPostgres();
  const effects: string[] = [];
  const tool = durable(
    createTool({
      name: "export_data",
      parameters: z.object({}),
      handler: async (_input, { step }) => {
        await step?.run("dump", () => effects.push("dump"));
        await step?.sleep("cool down", "1h");
        await step?.run("upload", () => effects.push("upload"));
        return "exported";
      },
    }),
  );
  await using harness = await openHarness({
    database,
    tools: [tool],
    policy: definePolicy({ tools: { "*": ask() } }),
    reply: inTurns({ toolCalls: [{ name: "export_data", input: {} }] }),
  });
  const { runId } = await harness.say("Export");
  const approval = await harness.onlyPending();
  await harness.decide(approval, "approve");
  await expect.poll(() => effects, patience).toEqual(["dump"]);
  await harness.engine.idle();
  await stopCalls(harness.store);
  await harness.clock.advance("1h");
  await harness.ended(runId);
  expect(effects).toEqual(["dump", "upload"]);
  expect((await harness.approval(approval.id)).status).toBe("executed");
});

it("a pending call stays visible under a stop, and runs once that is released and the call approved", async () => {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  const policy = definePolicy({ tools: { refund: ask() } });
  await using harness = await openHarness({ database, tools, policy, reply: refundOnce });
  const { runId } = await harness.say("Refund A-1");
  const approval = await harness.onlyPending();
  const stop = await stopCalls(harness.store);
  expect(await harness.decide(approval, "approve")).toMatchObject({ status: 409, body: { code: "stopped" } });
  expect(await harness.onlyPending()).toMatchObject({ id: approval.id, stop: { id: stop.id } });
  await releaseCalls(harness.store, stop);
  expect(await harness.onlyPending()).toMatchObject({ id: approval.id, stop: null });
  expect(await harness.decide(approval, "approve")).toMatchObject({ status: 200 });
  await harness.ended(runId);
  expect(effects).toHaveLength(1);
});

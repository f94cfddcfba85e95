import { allow, ask, definePolicy, deny, manual, notify } from "countersign";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

const refund = { name: "refund", input: { id: "A-1", amount: 80 } };
const email = { name: "email", input: { to: "customer", text: "Done" } };

describe("the verdict notify", () => {
  it.each([true, false])("runs a call once and sends an event, checkpointing %s", async (checkpointing) => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const sent: { name: string; data: Record<string, unknown> }[] = [];
    const policy = definePolicy({
      tools: { refund: notify({ summary: "Refund {{amount}} for {{id}}", risk: "high" }) },
    });
    await using harness = await openHarness({
      database,
      tools,
      policy,
      checkpointing,
      reply: inTurns(
        { toolCalls: [refund] },
        { toolCalls: [{ ...refund, input: { id: "A-2", amount: 5 } }] },
      ),
      onEvent: (event) => {
        sent.push(event);
        return "deliver";
      },
    });
    const { runId } = await harness.say("Refund both");
    await harness.ended(runId);
    expect(effects.map(({ input }) => input)).toEqual([refund.input, { id: "A-2", amount: 5 }]);
    const { body } = await harness.call("finance", "/approvals");
    expect(body.items).toMatchObject([
      {
        verdict: "notify",
        status: "executed",
        summary: "Refund 80 for A-1",
        risk: "high",
        decision: { decidedBy: null },
      },
      { verdict: "notify", status: "executed", summary: "Refund 5 for A-2" },
    ]);
    const trail = await harness.store.auditTrail("acme", body.items[0].id);
    expect(trail.map(({ type }) => type)).toEqual([
      "approval.notified",
      "approval.executing",
      "approval.executed",
    ]);
    const notified = sent.filter(({ name }) => name === "countersign/call.notified");
    expect(notified.map(({ data }) => data.approvalId)).toEqual(
      body.items.map(({ id }: { id: string }) => id),
    );
    expect(JSON.stringify(notified)).not.toContain("A-1");
  });
});

describe("the verdict manual", () => {
  async function openManual() {
    const database = await freshPostgres();
    const { tools, effects } = deskTools();
    const policy = definePolicy({
      tools: { refund: manual({ approvers: { roles: ["finance"] } }), email: ask() },
    });
    const harness = await openHarness({
      database,
      tools,
      policy,
      reply: inTurns({ toolCalls: [refund, email] }),
    });
    const { runId } = await harness.say("Refund A-1 by hand");
    const waiting = await harness.pending(2);
    const byTool = (name: string) =>
      waiting.find(({ toolName }) => toolName === name) as (typeof waiting)[number];
    return {
      harness,
      effects,
      runId,
      byHand: byTool("refund"),
      other: byTool("email"),
      async [Symbol.asyncDispose]() {
        await harness[Symbol.asyncDispose]();
        await database[Symbol.asyncDispose]();
      },
    };
  }

  it("takes a person's response as the tool's result and never runs the tool", async () => {
    await using world = await openManual();
    const { harness, byHand, other } = world;
    const response = { receipt: "R-7", note: "paid in cash" };
    const body = { type: "respond", digest: byHand.digest, response };
    const answer = await harness.call("finance", `/approvals/${byHand.id}/decision`, {
      method: "POST",
      body,
    });
    expect(answer).toMatchObject({ status: 200, body: { status: "responded", response } });
    await harness.decide(other, "approve");
    await harness.ended(world.runId);
    expect(world.effects.map(({ tool }) => tool)).toEqual(["email"]);
    expect(harness.model.requests.map(({ error, status }) => error ?? status)).toEqual([200, 200]);
    expect(JSON.stringify(harness.model.requests[1]?.body)).toContain("R-7");
  });

  it("permits a response or a denial, and no approval", async () => {
    await using world = await openManual();
    const { harness, byHand, other } = world;
    expect(await harness.decide(byHand, "approve")).toMatchObject({
      status: 409,
      body: { code: "decision_not_allowed", decisions: expect.arrayContaining(["respond", "deny"]) },
    });
    const respond = { type: "respond", digest: other.digest, response: "x" };
    expect(
      await harness.call("finance", `/approvals/${other.id}/decision`, { method: "POST", body: respond }),
    ).toMatchObject({ status: 409, body: { code: "decision_not_allowed" } });
    for (const body of [
      { type: "respond", digest: byHand.digest },
      { type: "deny", digest: byHand.digest, response: "x" },
    ]) {
      const answer = await harness.call("finance", `/approvals/${byHand.id}/decision`, {
        method: "POST",
        body,
      });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "response" }] } });
    }
    expect((await harness.approval(byHand.id)).status).toBe("pending");
    expect(world.effects).toEqual([]);
  });
});

it("requesterMayNotApprove keeps requesters from approving their calls, and lets them deny them", async () => {
  await using database = await freshPostgres();
  const policy = definePolicy({ tools: { refund: ask({ requesterMayNotApprove: true }) } });
  await using harness = await openHarness({
    database,
    tools: deskTools().tools,
    policy,
    reply: inTurns({ toolCalls: [refund] }),
  });
  const { runId } = await harness.say("Refund A-1");
  const approval = await harness.onlyPending();
  expect(await harness.decide(approval, "approve", "requester")).toMatchObject({
    status: 403,
    body: { code: "self_approval" },
  });
  expect((await harness.decide(approval, "deny", "requester")).status).toBe(200);
  await harness.ended(runId);
});

it("a profile tightens the rules of its agent, and an unknown profile is rejected by name", async () => {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  const policy = definePolicy({
    tools: { lookup: allow(), refund: ask(), email: allow() },
    profiles: {
      careful: { tools: { email: deny("Not in this profile") } },
      night: { extends: "careful", tools: { refund: deny("Nobody is here at night") } },
    },
  });
  const reply = inTurns({ toolCalls: [refund, email] });
  await using harness = await openHarness({ database, tools, policy, reply, profile: "night" });
  const { runId } = await harness.say("Refund A-1 and tell");
  await harness.ended(runId);
  expect(effects).toEqual([]);
  const modelRequest = JSON.stringify(harness.model.requests[1]?.body);
  expect(modelRequest).toContain("Nobody is here at night");
  expect(modelRequest).toContain("Not in this profile");
  const agent = {} as never;
  expect(() => harness.countersign.guard(agent, { profile: "nigth" })).toThrow(
    /no profile "nigth"; did you mean "night"\?/,
  );
});

it("a thread's rules tighten the policy, and a run fails with rules that would loosen it", async () => {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  const rules = { now: [{ tools: "email", verdict: "deny", reason: "Legal hold" }] as unknown[] };
  const policy = definePolicy({ tools: { email: allow() } });
  await using harness = await openHarness({
    database,
    tools,
    policy,
    reply: inTurns({ toolCalls: [email] }),
    countersign: { context: () => ({ requester: { id: "requester" }, threadRules: rules.now }) },
  });
  const tightened = await harness.say("Email them");
  await harness.ended(tightened.runId);
  expect(effects).toEqual([]);
  expect(JSON.stringify(harness.model.requests[1]?.body)).toContain("Legal hold");
  rules.now = [{ tools: "refund", verdict: "allow" }];
  const loosening = await harness.say("Email them");
  await harness.onceAtRest(async () => {
    const { status } = await harness.runStatus(loosening.runId);
    if (status === "Running") await harness.clock.advance("5m");
    return status === "Failed" ? status : undefined;
  }, "the run fails, because its thread's rules cannot be used");
  expect(effects).toEqual([]);
});

it("a shadow policy decides nothing, and the audit log records where it differs from the live one", async () => {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  await using harness = await openHarness({
    database,
    tools,
    policy: definePolicy({ tools: { lookup: allow(), email: allow() } }),
    countersign: { shadowPolicy: definePolicy({ tools: { lookup: allow(), email: ask() } }) },
    reply: inTurns({ toolCalls: [{ name: "lookup", input: { id: "A-1" } }] }, { toolCalls: [email] }),
  });
  const { runId } = await harness.say("Look it up and tell");
  await harness.ended(runId);
  expect(effects.map(({ tool }) => tool)).toContain("email");
  const notes = await database.admin<
    { type: string; data: { toolName: string; live: string; candidate: string } }[]
  >`
    select type, data from countersign.audit_entries where type = 'policy.shadow_difference'`;
  expect(notes.map(({ data }) => [data.toolName, data.live, data.candidate])).toEqual([
    ["email", "allow", "ask"],
  ]);
});

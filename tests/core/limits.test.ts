import { createTool } from "@inngest/agent-kit";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres, type TestDatabase } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import type { HarnessOptions } from "../support/harness-options.js";
import { policyOf } from "../support/policy-of.js";
import { rehearsedShop, waysIn } from "../support/rehearsed-shop.js";

const allowed = { tools: "refund", verdict: "allow" };

/** Asks about refunds under a condition. */
function limited(when: string, ...others: object[]) {
  return policyOf([allowed, { tools: "refund", verdict: "ask", when, editable: ["amount"] }, ...others]);
}

const perDay = 'spent("refund", "amount", "24h") > 100';

const { "a plain step that asks": _, ...judged } = waysIn;

describe.each(Object.entries(judged))("%s under a limit", (_way, open) => {
  it("runs until the limit is exceeded, then waits for a person", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    const policy = policyOf(
      [allowed, { tools: "refund", verdict: "ask", when: 'spent("refund", "amount", "24h") > 200' }],
      { profiles: { script: { rules: [] } } },
    );
    await using harness = await open(shop, { database, policy });
    for (const expected of [1, 2]) {
      const { runId } = await harness.say("Refund A-1001");
      await harness.ended(runId);
      expect(shop.ran).toHaveLength(expected);
    }
    const { runId } = await harness.say("Refund A-1001");
    const approval = await harness.onlyPending();
    expect(shop.ran).toHaveLength(2);
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(shop.ran).toHaveLength(3);
    const rows = await database.admin`
      select verdict, status, terms -> 'counts' -> 0 ->> 'total' as total from countersign.approvals order by created_at`;
    expect([...rows]).toEqual([
      { verdict: "notify", status: "executed", total: "80" },
      { verdict: "notify", status: "executed", total: "160" },
      { verdict: "ask", status: "executed", total: "240" },
    ]);
  });
});

type Refund = { id: string; amount: unknown; to?: string };

/** A desk that refunds what each message says, as JSON. */
async function openDesk(database: TestDatabase, policy: NonNullable<HarnessOptions["policy"]>) {
  const { effects } = deskTools();
  const tool = createTool({
    name: "refund",
    parameters: z.object({ id: z.string(), amount: z.any().optional(), to: z.string().optional() }),
    handler: (input) => void effects.push({ tool: "refund", input }),
  });
  // OpenAI's strict schemas allow no optional property.
  const refund = { ...tool, strict: false };
  const email = createTool({
    name: "email",
    parameters: z.object({ to: z.string() }),
    handler: (input) => void effects.push({ tool: "email", input }),
  });
  const harness = await openHarness({
    ...{ database, policy, tools: [refund, email] },
    reply: (conversation) => {
      const asked = conversation.messages.filter(({ role }) => role === "user").at(-1);
      const text = asked?.role === "user" ? asked.text : "[]";
      return inTurns({ toolCalls: JSON.parse(text) })(conversation);
    },
  });
  return Object.assign(harness, {
    effects,
    refund: (refunds: Refund[], thread?: string) =>
      harness.say(JSON.stringify(refunds.map((input) => ({ name: "refund", input }))), thread),
    /** Refunds without a person. */
    async refundAtOnce(...refunds: Refund[]) {
      const before = effects.length;
      const { runId } = await this.refund(refunds);
      await harness.ended(runId);
      expect(effects).toHaveLength(before + refunds.length);
    },
  });
}

const of = (amount: unknown, to?: string): Refund => ({ id: "A-1", amount, ...(to ? { to } : {}) });

describe("a limit over time", () => {
  it("counts the calls of one response in their order", async () => {
    await using database = await freshPostgres();
    await using desk = await openDesk(database, limited(perDay));
    const { runId } = await desk.refund([of(19), of(19), of(19), of(19), of(19), { ...of(19), id: "sixth" }]);
    const approval = await desk.onlyPending();
    expect(approval.input).toEqual({ id: "sixth", amount: 19 });
    await desk.decide(approval, "approve");
    await desk.ended(runId);
    expect(desk.effects).toHaveLength(6);
  });

  it("adds decimal amounts exactly", async () => {
    await using database = await freshPostgres();
    await using desk = await openDesk(database, limited('spent("refund", "amount", "24h") > 0.3'));
    await desk.refundAtOnce(of(0.1), of(0.2));
    await desk.refund([of(0.000001)]);
    await desk.onlyPending();
  });

  it("makes room for what people denied", async () => {
    await using database = await freshPostgres();
    await using desk = await openDesk(database, limited(perDay));
    await desk.refundAtOnce(of(100));
    const second = await desk.refund([of(50)]);
    await desk.decide(await desk.onlyPending(), "deny");
    await desk.ended(second.runId);
    const { body } = await desk.call("auditor", "/policy/explain", {
      method: "POST",
      body: { toolName: "refund", input: of(7), principal: { id: "requester", roles: [] } },
    });
    expect(body).toMatchObject({ kind: "ask", counted: { 'spent("refund", "amount", "24h")': 107 } });
  });

  it("forgets calls that are older than its window", async () => {
    await using database = await freshPostgres();
    await using desk = await openDesk(database, limited(perDay));
    await desk.refundAtOnce(of(100));
    await desk.clock.advance(25 * 3_600_000);
    await desk.refundAtOnce(of(100));
  });

  it("lets the oldest calls start whose numbers later calls exceed", async () => {
    await using database = await freshPostgres();
    await using desk = await openDesk(
      database,
      limited(perDay, { tools: "refund", verdict: "ask", when: "input.amount > 90" }),
    );
    const first = await desk.refund([of(95)]);
    const asked = await desk.onlyPending();
    await desk.refundAtOnce(of(5));
    await desk.decide(asked, "approve");
    await desk.ended(first.runId);
    expect(desk.effects).toHaveLength(2);
  });

  it.each([
    ["requester", perDay, false],
    ["thread", 'spent("refund", "amount", "24h", "thread") > 100', true],
    ["tenant", 'spent("refund", "amount", "24h", "tenant") > 100', false],
    ["an argument", 'spent("refund", "amount", "24h", "input.to") > 100', true],
  ])("counts together what has the same %s", async (_per, when, another) => {
    await using database = await freshPostgres();
    await using desk = await openDesk(database, limited(when));
    const { runId, threadId } = await desk.refund([of(60, "ada")]);
    await desk.ended(runId);
    const other = await desk.refund([of(60, "bob")]);
    if (another) await desk.ended(other.runId);
    else await desk.decide(await desk.onlyPending(), "deny");
    await desk.ended(other.runId);
    await desk.refund([of(60, "ada")], threadId);
    await desk.onlyPending();
  });

  it.each([
    ["no amount", undefined],
    ["a text", "19"],
    ["a negative amount", -1000],
  ])("asks about %s, which cannot be counted", async (_what, amount) => {
    await using database = await freshPostgres();
    await using desk = await openDesk(database, limited(perDay));
    await desk.refund([of(amount)]);
    await desk.onlyPending();
  });

  it("is not widened by negative amounts that people approved", async () => {
    await using database = await freshPostgres();
    await using desk = await openDesk(database, limited(perDay));
    const { runId } = await desk.refund([of(-1000)]);
    await desk.decide(await desk.onlyPending(), "approve");
    await desk.ended(runId);
    await desk.refund([of(101)]);
    await desk.onlyPending();
  });

  it("of another tool decides about a call that leaves no row itself", async () => {
    await using database = await freshPostgres();
    const policy = policyOf([
      { tools: "*", verdict: "allow" },
      { tools: "email", verdict: "ask", when: 'calls("refund", "1h") > 1' },
    ]);
    await using desk = await openDesk(database, policy);
    const calls = (refunds: number) =>
      JSON.stringify([
        ...Array.from({ length: refunds }, () => ({ name: "refund", input: of(1) })),
        { name: "email", input: { to: "ada" } },
      ]);
    const { runId } = await desk.say(calls(1));
    await desk.ended(runId);
    expect(desk.effects.map(({ tool }) => tool)).toContain("email");
    const [{ rows } = { rows: -1 }] = await database.admin`
      select count(*)::int as rows from countersign.approvals`;
    expect(rows).toBe(1);
    await desk.say(calls(1));
    expect(await desk.onlyPending()).toMatchObject({ toolName: "email" });
  });

  it("judges an edit with its new amount, and counts that", async () => {
    await using database = await freshPostgres();
    const policy = policyOf([
      { tools: "refund", verdict: "ask", editable: ["amount"], approvers: { roles: ["finance", "lead"] } },
      { tools: "refund", verdict: "ask", when: perDay, approvers: { roles: ["lead"] } },
    ]);
    await using desk = await openDesk(database, policy);
    const { runId } = await desk.refund([of(60)]);
    const { id, digest } = await desk.onlyPending();
    const edit = (amount: number) =>
      desk.call("finance", `/approvals/${id}/decision`, {
        method: "POST",
        body: { type: "edit", digest, input: of(amount) },
      });
    expect(await edit(101)).toMatchObject({ body: { code: "edit_not_allowed" } });
    expect(await edit(100)).toMatchObject({ status: 200 });
    await desk.ended(runId);
    expect(desk.effects).toEqual([{ tool: "refund", input: of(100) }]);
    await desk.refund([of(1)]);
    const [another] = await desk.onceAtRest(async () => {
      const { body } = await desk.call("lead", "/approvals?status=pending");
      return body.items.length === 1 ? body.items : undefined;
    }, "the lead is asked");
    expect(another.input).toEqual(of(1));
  });

  it("counts requests of programs, for their principal", async () => {
    await using database = await freshPostgres();
    await using desk = await openDesk(
      database,
      limited('calls("deploy", "1h") > 2', {
        ...{ tools: "deploy", verdict: "ask", when: 'calls("deploy", "1h") > 2' },
      }),
    );
    const principal = { id: "robot", tenantId: "acme", roles: [] };
    const request = (key: string) =>
      desk.countersign.externalCalls.request({ principal, key, toolName: "deploy", input: { service: key } });
    const first = await request("a");
    expect(first).toMatchObject({ status: "approved" });
    await request("b");
    expect(await request("c")).toMatchObject({ status: "pending" });
    if (first.status !== "approved") throw new Error("unreachable");
    const call = { principal, approvalId: first.approvalId, toolName: "deploy", input: { service: "a" } };
    expect(await desk.countersign.externalCalls.use(call)).toMatchObject({ go: true });
  });

  it("costs nothing where no rule counts", async () => {
    await using database = await freshPostgres();
    await using desk = await openDesk(database, policyOf([allowed]));
    const { runId } = await desk.refund([of(1)]);
    await desk.ended(runId);
    // AgentKit enters handlers of allowed calls again on each replay.
    expect(desk.effects.length).toBeGreaterThan(0);
    expect(await database.admin`select id from countersign.approvals`).toHaveLength(0);
  });
});

import { createTool } from "@inngest/agent-kit";
import { ask, type CountersignOptions, definePolicy, deny, type GrantRequest, type Terms } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { callsFromMessage, callsOf } from "../support/calls-from-message.js";
import { everyDatabase, freshPostgres, type TestDatabase } from "../support/databases.js";
import { deskTools } from "../support/desk-tools.js";
import { eventually, type Harness, openHarness } from "../support/harness.js";

const refund = (amount: number, id = "A-1") => callsOf({ name: "refund", input: { id, amount } });
const open = {
  approvers: { roles: ["finance", "lead"] },
  grantable: ["thread", "user", "team"],
} satisfies Terms;
const exact = { scope: "thread", arguments: "exact" } satisfies GrantRequest;

/** A desk whose refunds may be granted. */
async function openDesk(
  options: {
    open?: () => Promise<TestDatabase>;
    refund?: Parameters<typeof definePolicy>[0]["tools"];
    countersign?: Partial<CountersignOptions>;
  } = {},
) {
  const database = await (options.open ?? freshPostgres)();
  const { tools, effects } = deskTools();
  const harness = await openHarness({
    database,
    tools,
    reply: callsFromMessage,
    policy: definePolicy({ tools: options.refund ?? { refund: ask(open) } }),
    ...(options.countersign ? { countersign: options.countersign } : {}),
  });
  return {
    harness,
    tools,
    effects,
    /** Has the call asked about and approved together with a grant, to the end of its run. */
    async grant(
      message: string,
      grant: GrantRequest,
      { token = "finance", thread = undefined as string | undefined } = {},
    ) {
      const said = await harness.say(message, thread);
      const approval = await harness.onlyPending();
      const answer = await approve(harness, approval, grant, token);
      if (answer.status === 200) await harness.ended(said.runId);
      return { ...said, approval, answer };
    },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

function approve(
  harness: Harness,
  approval: { id: string; digest: string },
  grant: unknown,
  token = "finance",
  type = "approve",
) {
  return harness.call(token, `/approvals/${approval.id}/decision`, {
    method: "POST",
    body: { type, digest: approval.digest, grant },
  });
}

const liveGrants = async (harness: Harness, token = "finance") =>
  (await harness.call(token, "/grants?live=true")).body.items;

describe.each(everyDatabase)("a grant on $name", ({ open: openDatabase }) => {
  it("lets the same call of its thread run without asking, and the audit log says by whom", async () => {
    await using desk = await openDesk({ open: openDatabase });
    const { harness } = desk;
    const { threadId, approval, answer } = await desk.grant(refund(80), exact);
    expect(answer.status).toBe(200);
    const { runId } = await harness.say(refund(80), threadId);
    await harness.ended(runId);
    expect(desk.effects).toHaveLength(2);
    expect(harness.model.requests.every(({ status }) => status === 200)).toBe(true);

    const [grant] = await liveGrants(harness);
    expect(grant).toMatchObject({
      scope: "thread",
      scopeId: threadId,
      arguments: "exact",
      approvalId: approval.id,
      grantedBy: "finance",
      usesTaken: 1,
      usesLeft: null,
    });
    const granted = (await harness.store.listApprovals({ tenantId: "acme", limit: 10 })).find(
      ({ grantId }) => grantId === grant.id,
    );
    expect(granted).toMatchObject({
      status: "executed",
      decision: { type: "approve", decidedBy: "finance", reason: "Standing approval" },
    });
    const trail = await harness.store.auditTrail("acme", granted?.id ?? "");
    expect(trail.map(({ type, actorId }) => [type, actorId])).toEqual([
      ["approval.granted", "finance"],
      ["approval.executing", null],
      ["approval.executed", null],
    ]);
    expect(trail[0]?.data).toMatchObject({ grantId: grant.id, toolName: "refund", digest: granted?.digest });
    const given = await harness.store.auditTrail("acme", approval.id);
    expect(given.map(({ type }) => type)).toContain("grant.created");
  });
});

describe("a grant asks again for", () => {
  it("another amount, another thread, and once it has expired", async () => {
    await using desk = await openDesk();
    const { harness } = desk;
    const { threadId, answer } = await desk.grant(refund(80), { ...exact, expiresIn: "2h" });
    expect(answer.status).toBe(200);
    const other = await harness.say(refund(81), threadId);
    await harness.decide(await harness.onlyPending(), "deny");
    await harness.ended(other.runId);
    const elsewhere = await harness.say(refund(80));
    await harness.decide(await harness.onlyPending(), "deny");
    await harness.ended(elsewhere.runId);
    await harness.clock.advance("121m");
    const later = await harness.say(refund(80), threadId);
    await harness.decide(await harness.onlyPending(), "deny");
    await harness.ended(later.runId);
    expect(desk.effects).toHaveLength(1);
    expect((await harness.call("finance", "/grants")).body.items[0].status).toBe("expired");
    expect(await liveGrants(harness)).toEqual([]);
  });

  it("what its condition does not hold for, or cannot be judged by", async () => {
    await using desk = await openDesk();
    const { harness } = desk;
    const when = 'input.amount <= 100 && input.id == "A-1"';
    await desk.grant(refund(80), { scope: "team", arguments: { when } });
    const covered = await harness.say(refund(100));
    await harness.ended(covered.runId);
    expect(desk.effects).toHaveLength(2);
    for (const message of [refund(101), refund(20, "A-2")]) {
      const asked = await harness.say(message);
      await harness.decide(await harness.onlyPending(), "deny");
      await harness.ended(asked.runId);
    }
    expect(desk.effects).toHaveLength(2);
  });

  it("a field of another type: doubt does not match", async () => {
    const loose = createTool({
      name: "refund",
      parameters: z.object({ amount: z.union([z.number(), z.string(), z.null()]) }),
      handler: () => "refunded",
    });
    await using database = await freshPostgres();
    await using harness = await openHarness({
      database,
      tools: [loose],
      reply: callsFromMessage,
      policy: definePolicy({ tools: { refund: ask(open) } }),
    });
    const first = await harness.say(callsOf({ name: "refund", input: { amount: 5 } }));
    const grant = { scope: "team", arguments: { when: "input.amount < 10" } };
    expect((await approve(harness, await harness.onlyPending(), grant)).status).toBe(200);
    await harness.ended(first.runId);
    for (const input of [{ amount: null }, { amount: "5" }]) {
      const { runId } = await harness.say(callsOf({ name: "refund", input }));
      await harness.decide(await harness.onlyPending(), "deny");
      await harness.ended(runId);
    }
    const { runId } = await harness.say(callsOf({ name: "refund", input: { amount: 6 } }));
    await harness.ended(runId);
  });

  it("a tool whose description has changed, and not for the one that it was given for", async () => {
    await using desk = await openDesk();
    const { harness } = desk;
    await desk.grant(refund(80), { scope: "team", arguments: "any" });
    const tool = desk.tools.find(({ name }) => name === "refund");
    if (!tool) throw new Error("unreachable");
    const index = desk.tools.indexOf(tool);
    desk.tools[index] = { ...tool, description: "Refund an order, and close the account" } as typeof tool;
    const changed = await harness.say(refund(80));
    await harness.decide(await harness.onlyPending(), "deny");
    await harness.ended(changed.runId);
    expect(desk.effects).toHaveLength(1);
    desk.tools[index] = tool;
    const same = await harness.say(refund(80));
    await harness.ended(same.runId);
    expect(desk.effects).toHaveLength(2);
  });
});

describe("the present policy", () => {
  const rules = {
    denies: deny("Not today"),
    "asks without grants": ask({ approvers: { roles: ["finance", "lead"] } }),
    "opens another scope": ask({ ...open, grantable: ["thread"] }),
    "asks for two": ask({ ...open, quorum: 2 }),
    "asks others": ask({ ...open, approvers: { roles: ["lead"] } }),
  };

  it.each(Object.entries(rules))("is not loosened by a grant where it %s", async (_what, strict) => {
    let rule = ask(open);
    await using desk = await openDesk({ refund: { refund: () => rule } });
    const { harness } = desk;
    await desk.grant(refund(80), { scope: "team", arguments: "any" });
    rule = strict;
    const { runId } = await harness.say(refund(80));
    if (strict.kind === "ask") {
      const waiting = await eventually(async () => {
        const { body } = await harness.call("lead", "/approvals?status=pending");
        return body.items[0];
      }, "it asks");
      await harness.decide(waiting, "deny", "lead");
    }
    await harness.ended(runId);
    expect(desk.effects).toHaveLength(1);
    rule = ask(open);
    await harness.ended((await harness.say(refund(80))).runId);
    expect(desk.effects).toHaveLength(2);
  });

  it("does not let a person's own calls run by their own grant where they may not approve them", async () => {
    let rule = ask({ grantable: ["team"] });
    await using desk = await openDesk({ refund: { refund: () => rule } });
    const { harness } = desk;
    await desk.grant(refund(80), { scope: "team", arguments: "any" }, { token: "requester" });
    rule = ask({ grantable: ["team"], requesterMayNotApprove: true });
    const { runId } = await harness.say(refund(80));
    const approval = await harness.onlyPending();
    expect(
      (await approve(harness, approval, { scope: "team", arguments: "any" }, "requester")).body.code,
    ).toBe("self_approval");
    await harness.decide(approval, "deny");
    await harness.ended(runId);
    expect(desk.effects).toHaveLength(1);
  });
});

describe("between the proposal and the start", () => {
  /** A response of a call that a grant lets through and one that waits, so that the first has not started yet. */
  async function openBetween() {
    let rule = ask(open);
    const desk = await openDesk({ refund: { refund: () => rule, email: ask({}) } });
    const { threadId } = await desk.grant(refund(80), exact);
    const email = { name: "email", input: { to: "a@b.c", text: "Hello" } };
    const message = callsOf({ name: "refund", input: { id: "A-1", amount: 80 } }, email);
    const { runId } = await desk.harness.say(message, threadId);
    const waiting = await desk.harness.onlyPending();
    const refunds = async () =>
      (await desk.harness.store.listApprovals({ tenantId: "acme", limit: 9 })).find(({ grantId }) => grantId);
    expect(await refunds()).toMatchObject({ status: "approved" });
    return { desk, runId, waiting, refunds, change: (to: typeof rule) => (rule = to) };
  }

  it("a revoked grant withdraws the call, and the model reads why", async () => {
    const { desk, runId, waiting, refunds } = await openBetween();
    await using _ = desk;
    const { harness } = desk;
    const [grant] = await liveGrants(harness);
    const revoke = () => harness.call("lead", `/grants/${grant.id}/revoke`, { method: "POST" });
    expect((await revoke()).body).toMatchObject({ status: "revoked", revokedBy: "lead", mayRevoke: false });
    expect((await revoke()).status).toBe(200);
    await harness.decide(waiting, "approve");
    await harness.ended(runId);
    expect(desk.effects.map(({ tool }) => tool)).toEqual(["refund", "email"]);
    expect(await refunds()).toMatchObject({ status: "withdrawn", withdrawalCause: "grant_revoked" });
    expect(JSON.stringify(harness.model.requests.at(-1)?.body)).toContain("standing approval");
    const trail = await harness.store.auditTrail("acme", grant.approvalId);
    expect(trail.filter(({ type }) => type === "grant.revoked")).toHaveLength(1);
  });

  it("a rule that no longer lets such calls be granted withdraws it", async () => {
    const { desk, runId, waiting, refunds, change } = await openBetween();
    await using _ = desk;
    change(ask({ approvers: open.approvers }));
    await desk.harness.decide(waiting, "approve");
    await desk.harness.ended(runId);
    expect(await refunds()).toMatchObject({ status: "withdrawn", withdrawalCause: "policy_changed" });
  });
});

describe("giving a grant", () => {
  it("refuses what may not be given, naming field and fix, and decides nothing", async () => {
    await using desk = await openDesk({ refund: { refund: ask({ ...open, grantable: ["thread"] }) } });
    const { harness } = desk;
    const { runId } = await harness.say(refund(80));
    const approval = await harness.onlyPending();
    const refusals: [unknown, number, string, string][] = [
      [{ scope: "team", arguments: "exact" }, 403, "grant_not_allowed", "grant.scope"],
      [
        { scope: "thread", arguments: { when: "input.amount >" } },
        400,
        "invalid_grant",
        "grant.arguments.when",
      ],
      [{ scope: "thread", arguments: { when: "input.amount > 80" } }, 400, "invalid_grant", "does not hold"],
      [{ scope: "thread", arguments: { when: "input.sum > 80" } }, 400, "invalid_grant", "cannot be judged"],
      [
        { scope: "thread", arguments: { when: "secrets.a == 1" } },
        400,
        "invalid_grant",
        "grant.arguments.when",
      ],
      [{ ...exact, expiresIn: "10s" }, 400, "invalid_request", "grant.expiresIn"],
      [{ ...exact, expiresIn: "91d" }, 400, "invalid_request", "grant.expiresIn"],
      [{ ...exact, uses: 0 }, 400, "invalid_request", "grant.uses"],
      [{ scope: "thread" }, 400, "invalid_request", "grant.arguments"],
      [{ ...exact, tool: "*" }, 400, "invalid_request", "grant.tool"],
    ];
    for (const [grant, status, code, words] of refusals) {
      const { body } = await approve(harness, approval, grant);
      expect(body).toMatchObject({ status, code, detail: expect.stringContaining(words) });
    }
    expect((await approve(harness, approval, exact, "finance", "deny")).body.code).toBe("invalid_request");
    expect(await harness.approval(approval.id)).toMatchObject({ status: "pending" });
    expect((await harness.call("finance", "/grants")).body.items).toEqual([]);

    expect((await approve(harness, approval, exact)).status).toBe(200);
    expect((await approve(harness, approval, exact)).status).toBe(200);
    expect((await approve(harness, approval, { ...exact, uses: 3 })).status).toBe(409);
    expect((await approve(harness, approval, { ...exact, expiresIn: "480m" })).status).toBe(200);
    await harness.ended(runId);
    const trail = await harness.store.auditTrail("acme", approval.id);
    expect(trail.filter(({ type }) => type === "grant.created")).toHaveLength(1);
  });

  it("is not possible for the gate of a plain function", async () => {
    await using database = await freshPostgres();
    await using harness = await openHarness({
      database,
      tools: [],
      reply: () => ({ text: "unused" }),
      run: ({ countersign, step }) =>
        countersign.requireApproval(step, { action: "drop table", details: { table: "orders" } }),
    });
    const { runId } = await harness.say("go");
    const approval = await harness.onlyPending();
    expect(approval).toMatchObject({ grantable: [], grantSuggestions: [] });
    const { body } = await approve(harness, approval, exact);
    expect(body).toMatchObject({ status: 403, code: "grant_not_allowed" });
    await harness.decide(approval, "deny");
    await harness.ended(runId);
  });

  it("suggests a few to those who may decide, each of which can be given as it is", async () => {
    await using desk = await openDesk();
    const { harness } = desk;
    const { runId } = await harness.say(refund(80));
    const approval = await harness.onlyPending();
    const words = approval.grantSuggestions.map((suggestion) => suggestion.words);
    expect(words).toEqual([
      expect.stringMatching(
        /^Allow exactly this call in this conversation, for 8 hours: refund with id: "A-1"/,
      ),
      expect.stringMatching(/^Allow exactly this call for requester, for 8 hours: /),
      expect.stringMatching(/^Allow exactly this call for everybody in the team, for 8 hours: /),
      'Allow refund with amount up to 80 and the same id "A-1" in this conversation, for 8 hours',
    ]);
    const seenByRequester = await harness.call("requester", `/approvals/${approval.id}`);
    expect(seenByRequester.body.grantSuggestions).toEqual([]);
    const last = approval.grantSuggestions.at(-1);
    expect((await approve(harness, approval, last?.grant)).status).toBe(200);
    await harness.ended(runId);
    const less = await harness.say(refund(30), approval.threadId ?? "");
    await harness.ended(less.runId);
    expect(desk.effects).toHaveLength(2);
    const negative = await harness.say(refund(-30), approval.threadId ?? "");
    await harness.decide(await harness.onlyPending(), "deny");
    await harness.ended(negative.runId);
  });

  it("suggests no condition where the rule hides something", async () => {
    await using desk = await openDesk({ refund: { refund: ask({ ...open, redact: ["id"] }) } });
    const { harness } = desk;
    const { runId } = await harness.say(refund(80, "A-SECRET"));
    const approval = await harness.onlyPending();
    expect(approval.grantSuggestions).toHaveLength(3);
    expect(JSON.stringify(approval)).not.toContain("A-SECRET");
    await approve(harness, approval, exact);
    await harness.ended(runId);
    expect(JSON.stringify(await liveGrants(harness))).not.toContain("A-SECRET");
  });
});

describe("the list of grants", () => {
  it("shows each to its grantor, its user and the approvers; only the user may not revoke it", async () => {
    await using desk = await openDesk();
    const { harness } = desk;
    await desk.grant(refund(80), { scope: "user", arguments: "exact", uses: 2 });
    const [grant] = await liveGrants(harness);
    for (const token of ["finance", "lead", "requester"]) {
      const { body } = await harness.call(token, `/grants/${grant.id}`);
      expect(body).toMatchObject({ id: grant.id, usesLeft: 2, mayRevoke: token !== "requester" });
    }
    const revoke = (token: string) => harness.call(token, `/grants/${grant.id}/revoke`, { method: "POST" });
    expect((await harness.call("stranger", `/grants/${grant.id}`)).status).toBe(404);
    expect((await harness.call("stranger", "/grants")).body.items).toEqual([]);
    expect((await revoke("stranger")).status).toBe(404);
    expect((await revoke("requester")).status).toBe(403);
    expect((await harness.call("nobody", "/grants")).status).toBe(401);
    expect((await revoke("finance")).status).toBe(200);
    expect(await liveGrants(harness)).toEqual([]);
  });

  it("is paged, newest first", async () => {
    await using desk = await openDesk();
    const { harness } = desk;
    for (const amount of [1, 2, 3]) await desk.grant(refund(amount), { scope: "team", arguments: "exact" });
    const first = (await harness.call("finance", "/grants?limit=2")).body;
    const second = (await harness.call("finance", `/grants?limit=2&cursor=${first.nextCursor}`)).body;
    expect(second.nextCursor).toBeNull();
    const summaries = [...first.items, ...second.items].map(({ summary }: { summary: string }) => summary);
    expect(summaries.map((text) => text.at(-1))).toEqual(["3", "2", "1"]);
  });
});

it("counts uses: the last one is the last", async () => {
  await using desk = await openDesk();
  const { harness } = desk;
  await desk.grant(refund(80), { scope: "team", arguments: "exact", uses: 1 });
  await harness.ended((await harness.say(refund(80))).runId);
  const asked = await harness.say(refund(80));
  await eventually(async () => ((await harness.pending(1)).length === 1 ? true : undefined), "it asks again");
  expect(desk.effects).toHaveLength(2);
  expect((await harness.call("finance", "/grants")).body.items[0]).toMatchObject({
    status: "used_up",
    usesLeft: 0,
  });
  await harness.decide(await harness.onlyPending(), "deny");
  await harness.ended(asked.runId);
});

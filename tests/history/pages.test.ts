import { ask, definePolicy } from "countersign";
import { createApprovalsClient } from "countersign/client";
import { approvalsApi } from "countersign/hono";
import { describe, expect, it } from "vitest";
import { fillThread, resultEntry, userEntry } from "../support/agents/long-thread.js";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness, principals } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";
import { spokenOf } from "./conversation-lines.js";

const requester = principals.requester as NonNullable<typeof principals.requester>;

async function openDesk() {
  const database = await freshPostgres();
  const harness = await openHarness({
    database,
    tools: deskTools().tools,
    policy: definePolicy({
      tools: { refund: ask({ decisions: ["approve", "edit", "deny"], editable: ["amount"] }) },
    }),
    reply: inTurns({ toolCalls: [{ name: "refund", input: { id: "A-1", amount: 80 } }] }),
  });
  return {
    harness,
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

describe("GET /threads/:id", () => {
  it("returns the newest page first, each page in chronological order, and every message once", async () => {
    await using desk = await openDesk();
    const { harness } = desk;
    await fillThread(harness.store, { threadId: "long", turns: 5 });
    const api = approvalsApi(harness.countersign, { authenticate: () => requester });
    const client = createApprovalsClient({
      baseUrl: "http://desk",
      fetch: async (request) => api.fetch(request),
    });
    const pages: string[][] = [];
    let cursor: string | null | undefined;
    do {
      const page = await client.getThread({ id: "long", query: { limit: 4, ...(cursor ? { cursor } : {}) } });
      pages.push(spokenOf(page.messages));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(pages[0]).toEqual([
      "agent: Answer 3",
      "user: Question 4",
      "call: refund",
      'result: {"data":{"ok":4}}',
      "agent: Answer 4",
    ]);
    expect(pages.length).toBe(4);
    const whole = await harness.countersign.threads.read("long", requester, { limit: 200 });
    expect(whole.nextCursor).toBeNull();
    expect(pages.reverse().flat()).toEqual(spokenOf(whole.messages));
    expect(whole.messages).toHaveLength(20);
  });

  it("returns calls that no run wrote to the thread in their chronological place", async () => {
    await using desk = await openDesk();
    const { harness } = desk;
    const { store } = harness;
    const lost = async (n: number) => {
      const [call] = await proposeCall(store, {
        threadId: "long",
        runId: `run_lost_${n}`,
        verdict: "notify",
        input: { id: `Lost ${n}`, amount: n },
        announce: false,
      });
      await store.claim(call?.id ?? "", "once", () => undefined);
      await store.finish(call?.id ?? "", {
        status: "executed",
        outcomeJson: JSON.stringify({ status: "executed", data: n }),
      });
    };
    await store.openThread({ tenantId: "acme", id: "long", ownerId: "requester", runId: "run_past" });
    for (let n = 0; n < 3; n++) {
      await store.appendEntries("acme", "long", [userEntry(n)]);
      await lost(n);
      await store.appendEntries("acme", "long", [resultEntry(n)]);
    }
    const expected = [0, 1, 2].map((n) => [
      `user: Question ${n}`,
      "call: refund",
      `result: {"data":${n}}`,
      `agent: Answer ${n}`,
    ]);
    const { threads } = harness.countersign;
    const pages: string[][] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await threads.read("long", requester, { limit: 1, cursor });
      pages.unshift(spokenOf(page.messages));
      cursor = page.nextCursor;
    }
    expect(pages.flat()).toEqual(expected.flat());
    expect(pages).toHaveLength(6);
  });

  it.each([
    ["a limit of 0", "?limit=0"],
    ["a limit of 201", "?limit=201"],
    [
      "a cursor of another kind",
      `?cursor=${Buffer.from('["2026-01-01T00:00:00.000Z","x"]').toString("base64url")}`,
    ],
  ])("refuses %s", async (_, query) => {
    await using desk = await openDesk();
    await desk.harness.store.openThread({ tenantId: "acme", id: "long", ownerId: "requester", runId: null });
    expect(await desk.harness.call("requester", `/threads/long${query}`)).toMatchObject({
      status: 400,
      body: { code: "invalid_request" },
    });
  });
});

describe("the context messages of an approval", () => {
  it("are the last ones before its proposal, and none after it", async () => {
    await using desk = await openDesk();
    const { harness } = desk;
    const { store } = harness;
    await fillThread(store, { threadId: "long", turns: 3 });
    const [waiting] = await proposeCall(store, { threadId: "long", runId: "run_now" });
    await store.appendEntries("acme", "long", [userEntry(9, "Much later")]);
    const { context } = (await harness.call("finance", `/approvals/${waiting?.id}`)).body;
    expect(spokenOf(context.messages)).toEqual(
      [
        "call: refund",
        'result: {"data":{"ok":1}}',
        "agent: Answer 1",
        "user: Question 2",
        "call: refund",
        'result: {"data":{"ok":2}}',
        "agent: Answer 2",
      ].slice(-6),
    );
    const past = (await harness.call("finance", "/approvals/apr_long_1_0")).body;
    expect(spokenOf(past.context.messages)).toEqual([
      "user: Question 0",
      "call: refund",
      'result: {"data":{"ok":0}}',
      "agent: Answer 0",
    ]);
  });

  it("hide a value that a call far back in the thread redacts", async () => {
    await using desk = await openDesk();
    const { harness } = desk;
    const { store } = harness;
    await store.openThread({ tenantId: "acme", id: "long", ownerId: "requester", runId: "run_past" });
    await proposeCall(store, {
      threadId: "long",
      input: { iban: "DE02120300000000202051" },
      terms: { redact: ["iban"] },
    });
    await fillThread(store, { threadId: "long", turns: 20 });
    await store.appendEntries("acme", "long", [userEntry(99, "Pay to DE02120300000000202051")]);
    const [waiting] = await proposeCall(store, { threadId: "long", runId: "run_now" });
    const detail = await harness.call("finance", `/approvals/${waiting?.id}`);
    expect(JSON.stringify(detail.body.context)).toContain("Pay to [hidden]");
    const { body } = await harness.call("finance", "/threads/long?limit=2");
    expect(JSON.stringify(body)).toContain("Pay to [hidden]");
    expect(JSON.stringify([detail.body, body])).not.toContain("DE0212");
  });
});

describe("the earlier call of an approval", () => {
  const wait = { threadId: "long", runId: "run_now", input: { amount: 80, id: "A-1" } };
  const done = async (
    store: Parameters<typeof proposeCall>[0],
    options: Parameters<typeof proposeCall>[1],
  ) => {
    const [call] = await proposeCall(store, {
      threadId: "long",
      input: { id: "A-1", amount: 80 },
      verdict: "notify",
      announce: false,
      ...options,
    });
    await store.claim(call?.id ?? "", "once", () => undefined);
    await store.finish(call?.id ?? "", { status: "executed", outcomeJson: "{}" });
    return call?.id;
  };

  it("is the last started call with the same tool and arguments in any conversation", async () => {
    await using desk = await openDesk();
    const { harness } = desk;
    const { store } = harness;
    await done(store, {});
    const id = await done(store, { threadId: "another" });
    await done(store, { tenantId: "other" });
    await done(store, { toolName: "email" });
    await done(store, { input: { id: "A-1", amount: 81 } });
    await proposeCall(store, { threadId: "long", input: wait.input, verdict: "deny", announce: false });
    const [waiting] = await proposeCall(store, wait);
    const { body } = await harness.call("finance", `/approvals/${waiting?.id}`);
    expect(body.earlier).toEqual({
      ...{ approvalId: id, status: "executed", finishedAt: expect.any(String), decidedBy: null },
    });
  });

  it("is null if there is none, and is never the call itself or a later one", async () => {
    await using desk = await openDesk();
    const { harness } = desk;
    const { store } = harness;
    const first = await done(store, {});
    await done(store, {});
    const earlierOf = async (id: string | undefined) =>
      (await harness.call("finance", `/approvals/${id}`)).body.earlier;
    expect(await earlierOf(first)).toBeNull();
    const [other] = await proposeCall(store, { ...wait, input: { id: "A-2", amount: 80 } });
    expect(await earlierOf(other?.id)).toBeNull();
  });

  it("has the status executing, interrupted, or responded for a call that a person carried out", async () => {
    await using desk = await openDesk();
    const { harness } = desk;
    const { store } = harness;
    const [waiting] = await proposeCall(store, wait);
    const earlier = async () => (await harness.call("finance", `/approvals/${waiting?.id}`)).body.earlier;
    const [running] = await proposeCall(store, {
      threadId: "long",
      input: wait.input,
      verdict: "notify",
      announce: false,
    });
    await store.claim(running?.id ?? "", "once", () => undefined);
    expect(await earlier()).toEqual({
      ...{ approvalId: running?.id, status: "executing", finishedAt: null, decidedBy: null },
    });
    await store.finish(running?.id ?? "", { status: "interrupted" });
    expect(await earlier()).toMatchObject({ approvalId: running?.id, status: "interrupted" });
    const [byHand] = await proposeCall(store, {
      threadId: "long",
      input: wait.input,
      terms: { decisions: ["respond"] },
    });
    await store.decide({
      approvalId: byHand?.id ?? "",
      principal: principals.finance as typeof requester,
      type: "respond",
      digest: byHand?.digest ?? "",
      reason: null,
      responseJson: '"by hand"',
    });
    expect(await earlier()).toEqual({
      approvalId: byHand?.id,
      status: "responded",
      finishedAt: expect.any(String),
      decidedBy: "finance",
    });
  });

  it("is compared by its edited arguments, not by the proposed ones", async () => {
    await using desk = await openDesk();
    const { harness } = desk;
    const { store } = harness;
    const { runId, threadId } = await harness.say("Refund A-1");
    const { id, digest } = await harness.onlyPending();
    const edited = await harness.call("finance", `/approvals/${id}/decision`, {
      method: "POST",
      body: { type: "edit", digest, input: { id: "A-1", amount: 20 } },
    });
    expect(edited.status).toBe(200);
    await harness.ended(runId);
    const [proposed] = await proposeCall(store, { ...wait, threadId });
    const [changed] = await proposeCall(store, { ...wait, threadId, input: { id: "A-1", amount: 20 } });
    expect((await harness.call("finance", `/approvals/${proposed?.id}`)).body.earlier).toBeNull();
    expect((await harness.call("finance", `/approvals/${changed?.id}`)).body.earlier).toMatchObject({
      approvalId: id,
      status: "executed",
    });
  });
});

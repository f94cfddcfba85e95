import { type CountersignOptions, createCountersign, definePolicy } from "countersign";
import { Inngest } from "inngest";
import { describe, expect, it } from "vitest";
import { fillThread, resultEntry, userEntry } from "../support/agents/long-thread.js";
import { freshPostgres } from "../support/databases.js";
import { deskTools } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";
import { pgliteStore } from "../support/store.js";
import { spoken } from "./conversation-lines.js";

/** A desk with a history window. Its `say` writes to a thread and returns what the model was sent. */
async function openDesk(history: CountersignOptions["history"], format: "openai" | "anthropic") {
  const database = await freshPostgres();
  let prompt: string[] = [];
  const harness = await openHarness({
    database,
    tools: deskTools().tools,
    format,
    countersign: history ? { history } : {},
    reply: (conversation) => {
      prompt = spoken(conversation.messages);
      return { text: "Noted." };
    },
  });
  const threadId = "long";
  await harness.store.openThread({ tenantId: "acme", id: threadId, ownerId: "requester", runId: "run_past" });
  return {
    store: harness.store,
    threadId,
    async say(message: string): Promise<string[]> {
      const { runId } = await harness.say(message, threadId);
      await harness.ended(runId);
      const last = harness.model.requests.at(-1);
      // The scripted model refuses what the provider would refuse.
      expect(last).toMatchObject({ status: 200 });
      return prompt;
    },
    requestBytes: () => Buffer.byteLength(JSON.stringify(harness.model.requests.at(-1)?.body)),
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

const append = (
  desk: Awaited<ReturnType<typeof openDesk>>,
  ...entries: ReturnType<typeof userEntry | typeof resultEntry>[]
) =>
  desk.store.appendEntries("acme", desk.threadId, entries as Parameters<typeof desk.store.appendEntries>[2]);

const call = (n: number, content: unknown, input: unknown = { id: `A-${n}` }) =>
  resultEntry(n, { call: { requestId: `req_${n}`, id: `call_${n}`, input, content } });

describe.each(["openai", "anthropic"] as const)("a run in the format of %s", (format) => {
  it("loads the last messages, and never a result without its call", async () => {
    await using desk = await openDesk({ maxMessages: 4 }, format);
    await fillThread(desk.store, { threadId: desk.threadId, turns: 3 });
    expect(await desk.say("Now")).toEqual([
      // The window begins within a turn, so that turn's message comes first.
      "user: Question 1",
      "agent: Answer 1",
      "user: Question 2",
      "call: refund",
      'result: {"data":{"ok":2}}',
      "agent: Answer 2",
      "user: Now",
    ]);
  });

  it("loads as many bytes as fit, and all of a thread that fits", async () => {
    await using desk = await openDesk({ maxBytes: 8192 }, format);
    await append(desk, userEntry(0, "Small"), resultEntry(0));
    expect(await desk.say("First")).toEqual(["user: Small", "agent: Answer 0", "user: First"]);
    for (let n = 1; n <= 8; n++)
      await append(desk, userEntry(n, `Question ${n} ${"x".repeat(1500)}`), resultEntry(n));
    const lines = await desk.say("Now");
    expect(lines.at(-1)).toBe("user: Now");
    expect(lines.join("\n")).not.toContain("Question 1 ");
    expect(lines.join("\n")).toContain("Question 8 ");
    expect(lines[0]).toMatch(/^user: /);
    expect(desk.requestBytes()).toBeLessThan(12_000);
  });

  it("loads long results, arguments and texts shortened, each in its place", async () => {
    await using desk = await openDesk(undefined, format);
    const long = "€".repeat(2_000_000);
    await append(
      desk,
      userEntry(0, `Pay all ${long}`),
      call(0, { data: long }, { note: long }),
      resultEntry(0, { text: `I have paid ${long}` }),
    );
    const lines = await desk.say("Now");
    expect(lines.map((line) => line.slice(0, 20))).toEqual([
      "user: Pay all €€€€€€",
      "call: refund",
      'result: {"shortened"',
      "agent: I have paid €",
      "user: Now",
    ]);
    expect(lines[2]).toContain("6.0 MB");
    expect(lines.join("")).not.toContain("\uFFFD");
    expect(desk.requestBytes()).toBeLessThan(4 * 1024 * 1024);
  });

  it("loads a result that no run wrote to the thread from the call's row", async () => {
    await using desk = await openDesk(undefined, format);
    await append(desk, userEntry(0, "Pay"));
    const [lost] = await proposeCall(desk.store, {
      threadId: desk.threadId,
      runId: "run_lost",
      verdict: "notify",
      announce: false,
    });
    await desk.store.claim(lost?.id ?? "", "once", () => undefined);
    await desk.store.finish(lost?.id ?? "", {
      status: "executed",
      outcomeJson: JSON.stringify({ status: "executed", data: "x".repeat(5_000_000) }),
    });
    const lines = await desk.say("Now");
    expect(lines.map((line) => line.slice(0, 20))).toEqual([
      "user: Pay",
      "call: refund",
      'result: {"shortened"',
      "user: Now",
    ]);
    expect(desk.requestBytes()).toBeLessThan(4 * 1024 * 1024);
  });

  it("loads calls of the same id under ids of their own, and omits empty messages", async () => {
    await using desk = await openDesk(undefined, format);
    const same = (n: number) =>
      resultEntry(n, { call: { requestId: `req_${n}`, id: "refund", input: { n }, content: { data: n } } });
    await append(desk, userEntry(0), same(0), userEntry(1, " "), same(1));
    expect(await desk.say("Now")).toEqual([
      "user: Question 0",
      "call: refund",
      'result: {"data":0}',
      "call: refund",
      'result: {"data":1}',
      "user: Now",
    ]);
  });

  it("loads a thread that begins with a call after a placeholder message", async () => {
    await using desk = await openDesk(undefined, format);
    await append(desk, call(0, { data: 1 }));
    expect(await desk.say("Now")).toEqual([
      "user: (The conversation started earlier.)",
      "call: refund",
      'result: {"data":1}',
      "user: Now",
    ]);
  });
});

it.each([
  [{ maxMessages: 0 }, "history.maxMessages"],
  [{ maxBytes: 100 }, "history.maxBytes"],
  [{ maxMessages: 1.5 }, "history.maxMessages"],
])("createCountersign rejects the history options %o by name", (history, name) => {
  const make = () =>
    createCountersign({
      inngest: new Inngest({ id: "window", isDev: true }),
      store: pgliteStore(),
      policy: definePolicy({ tools: {} }),
      history,
    });
  expect(make).toThrow(name);
});

import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy, durable, manual } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { spoken, spokenOf } from "../history/conversation-lines.js";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { eventually, type Harness, openHarness, principals } from "../support/harness.js";
import type { HarnessOptions } from "../support/harness-options.js";
import { interceptedStore } from "../support/intercepted-store.js";

const requester = principals.requester as NonNullable<typeof principals.requester>;
const refund = { name: "refund", input: { id: "A-1", amount: 80 } };
const lookup = { name: "lookup", input: { id: "A-1" } };
const ran = 'result: {"data":{"ok":true}}';

const formats = ["openai", "anthropic"] as const;
const everyWay = [
  { format: "openai", checkpointing: true },
  { format: "anthropic", replaying: "each-step" },
] as const;

/**
 * A desk whose model follows `script` in the first run and fails at the script's end. In later runs the model answers
 * that all is done.
 */
async function openDesk(options: Partial<HarnessOptions> & { script: ReturnType<typeof inTurns> }) {
  const database = await freshPostgres();
  const desk = deskTools();
  const prompts: string[][] = [];
  const { script, ...others } = options;
  const harness = await openHarness({
    database,
    tools: desk.tools,
    ...others,
    reply: (conversation) => {
      prompts.push(spoken(conversation.messages));
      if (JSON.stringify(conversation.messages).includes("Again")) return { text: "It is done already." };
      const reply = script(conversation);
      if (reply.toolCalls) return reply;
      throw new Error("The provider is down");
    },
  });
  return {
    harness,
    effects: desk.effects,
    /** Sends another message to the thread, and returns what the model was then sent. */
    async sayAgain(threadId: string): Promise<string[] | undefined> {
      const { runId } = await harness.say("Again", threadId);
      await harness.ended(runId);
      expect(harness.model.requests.at(-1)).toMatchObject({ status: 200 });
      return prompts.at(-1);
    },
    thread: async (threadId: string) => {
      const { status, messages } = await harness.countersign.threads.read(threadId, requester);
      return { status, spoken: spokenOf(messages) };
    },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Moves the clock until the engine has given up the run. */
const failed = (harness: Harness, runId: string) =>
  harness.onceAtRest(async () => {
    await harness.clock.advance(60_000);
    return (await harness.runStatus(runId)).status === "Failed" ? true : undefined;
  }, "the run has failed");

const cancel = ({ engine }: Harness, runId: string) =>
  engine.fetch(`${engine.baseUrl}/v1/runs/${runId}`, { method: "DELETE" });

const becomes = (harness: Harness, id: string, status: string) =>
  eventually(
    async () => ((await harness.approval(id)).status === status ? true : undefined),
    `the call is ${status}`,
  );

describe.each(everyWay)("the next turn's model, in the format of $format, replayed with %o,", (way) => {
  it("reads a call that ran before the model failed", async () => {
    await using desk = await openDesk({
      ...way,
      script: inTurns({ toolCalls: [lookup] }, { toolCalls: [refund] }),
    });
    const { harness } = desk;
    const { runId, threadId } = await harness.say("Refund A-1");
    await harness.decide(await harness.onlyPending(), "approve");
    await eventually(() => (harness.model.requests.length > 2 ? true : undefined), "a refusal");
    await failed(harness, runId);
    const kept = [
      "user: Refund A-1",
      "call: lookup",
      'result: {"data":{"id":"A-1","total":80}}',
      "call: refund",
      ran,
    ];
    expect((await desk.thread(threadId)).spoken).toEqual(kept);
    expect(await desk.sayAgain(threadId)).toEqual([...kept, "user: Again"]);
    expect((await desk.thread(threadId)).spoken).toEqual([
      ...kept,
      "user: Again",
      "agent: It is done already.",
    ]);
    expect(desk.effects).toHaveLength(1);
  });

  it("reads a call that ran before the run was cancelled", async () => {
    const again = { name: "refund", input: { id: "A-2", amount: 90 } };
    await using desk = await openDesk({
      ...way,
      script: inTurns({ toolCalls: [refund] }, { toolCalls: [again] }),
    });
    const { harness } = desk;
    const { runId, threadId } = await harness.say("Refund A-1 and A-2");
    const first = await harness.onlyPending();
    await harness.decide(first, "approve");
    const second = await harness.nextPending(first);
    await harness.engine.idle();
    await cancel(harness, runId);
    await becomes(harness, second.id, "withdrawn");
    const kept = ["user: Refund A-1 and A-2", "call: refund", ran];
    await eventually(
      async () => ((await desk.thread(threadId)).status === "failed" ? true : undefined),
      "the thread has failed",
    );
    expect((await desk.thread(threadId)).spoken).toEqual(kept);
    expect(await desk.sayAgain(threadId)).toEqual([...kept, "user: Again"]);
  });

  it.each(["completed", "failed"])(
    "reads a call that ran before the run reached its step limit and %s",
    async (end) => {
      const again = { ...refund, input: { id: "A-2", amount: 90 } };
      await using desk = await openDesk({
        ...way,
        countersign: { limits: { stepsPerRun: 8 } },
        script: inTurns({ toolCalls: [refund] }, { toolCalls: [again] }),
        // Asked a third time, the model fails.
        network: (network) => Object.assign(network, { maxIter: end === "completed" ? 2 : 3 }),
      });
      const { harness } = desk;
      const { runId, threadId } = await harness.say("Refund A-1 and A-2");
      await harness.decide(await harness.onlyPending(), "approve");
      await (end === "completed" ? harness.ended(runId) : failed(harness, runId));
      expect(desk.effects).toHaveLength(1);
      const kept = [
        "user: Refund A-1 and A-2",
        "call: refund",
        ran,
        "call: refund",
        expect.stringMatching(/^result: .*run_nearly_full.*a new message starts a new run/),
      ];
      expect((await desk.thread(threadId)).spoken).toEqual(kept);
      expect(await desk.sayAgain(threadId)).toEqual([...kept, "user: Again"]);
    },
  );

  it("reads a call of a run that failed before it could write to the thread", async () => {
    let broken = true;
    await using desk = await openDesk({
      ...way,
      script: inTurns({ text: "I refund it.", toolCalls: [lookup, refund] }),
      between: (store) =>
        interceptedStore(store, {
          appendEntries: (carryOut, ...args) =>
            broken ? Promise.reject(new Error("No disk")) : carryOut(...args),
        }),
    });
    const { harness } = desk;
    const { runId, threadId } = await harness.say("Refund A-1");
    await harness.decide(await harness.onlyPending(), "approve");
    await failed(harness, runId);
    broken = false;
    const kept = ["user: Refund A-1", "call: refund", ran];
    expect((await desk.thread(threadId)).spoken).toEqual(kept);
    expect(await desk.sayAgain(threadId)).toEqual([...kept, "user: Again"]);
    expect((await desk.thread(threadId)).spoken).toEqual([
      ...kept,
      "user: Again",
      "agent: It is done already.",
    ]);
    // A third turn reads the call at the same place.
    expect(await desk.sayAgain(threadId)).toEqual([
      ...kept,
      "user: Again",
      "agent: It is done already.",
      "user: Again",
    ]);
  });
});

describe.each(formats)("the next turn's model, in the format of %s,", (format) => {
  it("reads that an interrupted call may or may not have run", async () => {
    let started = false;
    const wait = durable(
      createTool({
        name: "refund",
        parameters: z.object({ id: z.string(), amount: z.number() }),
        handler: async (_input, { step }) => {
          started = true;
          await step?.waitForEvent("refund-settled", { event: "never", timeout: "1h" });
          return "settled";
        },
      }),
    );
    await using desk = await openDesk({
      format,
      tools: [wait],
      policy: definePolicy({ tools: { refund: ask() } }),
      script: inTurns({ toolCalls: [refund] }),
    });
    const { harness } = desk;
    const { runId, threadId } = await harness.say("Refund A-1");
    const approval = await harness.onlyPending();
    await harness.decide(approval, "approve");
    await eventually(() => started || undefined, "the handler has started");
    await harness.engine.idle();
    // The thread shows the call without a result while it is executing.
    expect((await desk.thread(threadId)).spoken).toEqual(["user: Refund A-1", "call: refund"]);
    await cancel(harness, runId);
    await becomes(harness, approval.id, "interrupted");
    expect(await desk.sayAgain(threadId)).toEqual([
      "user: Refund A-1",
      "call: refund",
      expect.stringMatching(/^result: .*execution_interrupted.*may or may not have run/),
      "user: Again",
    ]);
  });

  it("reads that the outcome of a cancelled run's call is unknown, and later its result", async () => {
    const gate = withResolvers();
    let started = false;
    const slow = createTool({
      name: "refund",
      parameters: z.object({ id: z.string(), amount: z.number() }),
      handler: async () => {
        started = true;
        await gate.promise;
        return "late";
      },
    });
    await using desk = await openDesk({ format, tools: [slow], script: inTurns({ toolCalls: [refund] }) });
    const { harness } = desk;
    const { runId, threadId } = await harness.say("Refund A-1");
    const approval = await harness.onlyPending();
    await harness.decide(approval, "approve");
    await eventually(() => started || undefined, "the handler has started");
    await cancel(harness, runId);
    expect(await desk.sayAgain(threadId)).toEqual([
      "user: Refund A-1",
      "call: refund",
      expect.stringMatching(/^result: .*its outcome is unknown/),
      "user: Again",
    ]);
    gate.resolve();
    await becomes(harness, approval.id, "executed");
    const later = await desk.sayAgain(threadId);
    expect(later?.filter((line) => line.startsWith("call") || line.startsWith("result"))).toEqual([
      "call: refund",
      'result: {"data":"late"}',
    ]);
  });

  it("reads a call's edited arguments, a person's answer and a tool's error", async () => {
    let broken = true;
    const failing = createTool({
      name: "email",
      parameters: z.object({ to: z.string(), text: z.string() }),
      handler: () => {
        throw new Error("No such mailbox");
      },
    });
    const { tools } = deskTools();
    await using desk = await openDesk({
      format,
      tools: [...tools.filter(({ name }) => name !== "email"), failing],
      policy: definePolicy({
        tools: {
          refund: ask({ decisions: ["approve", "edit", "deny"], editable: ["amount"] }),
          erase: manual(),
          email: ask(),
        },
      }),
      script: inTurns({
        toolCalls: [
          refund,
          { name: "erase", input: { id: "C-1" } },
          { name: "email", input: { to: "customer", text: "Done" } },
        ],
      }),
      between: (store) =>
        interceptedStore(store, {
          appendEntries: (carryOut, ...args) =>
            broken ? Promise.reject(new Error("No disk")) : carryOut(...args),
        }),
    });
    const { harness } = desk;
    const { runId, threadId } = await harness.say("Refund A-1");
    const [first, second, third] = await harness.pending(3);
    if (!first || !second || !third) throw new Error("unreachable");
    const decide = (approval: typeof first, body: object) =>
      harness.call("finance", `/approvals/${approval.id}/decision`, {
        method: "POST",
        body: { digest: approval.digest, ...body },
      });
    await decide(first, { type: "edit", input: { id: "A-1", amount: 20 } });
    await decide(second, { type: "respond", response: "Erased by hand" });
    await decide(third, { type: "approve" });
    await failed(harness, runId);
    broken = false;
    const lines = await desk.sayAgain(threadId);
    expect(lines).toEqual([
      "user: Refund A-1",
      "call: refund, erase, email",
      expect.stringMatching(/^result: .*"ok":true.*amount from 80 to 20/),
      'result: {"data":"Erased by hand"}',
      expect.stringMatching(/^result: .*No such mailbox/),
      "user: Again",
    ]);
    const body = JSON.stringify(harness.model.requests.at(-1)?.body);
    expect(body).toContain("20");
  });
});

function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

import { allow, ask, definePolicy, type Policy } from "countersign";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { eventually, openHarness } from "../support/harness.js";
import type { HarnessOptions } from "../support/harness-options.js";
import { interceptedStore } from "../support/intercepted-store.js";

const refund = { name: "refund", input: { id: "A-1", amount: 80 } };
const allowing = definePolicy({ tools: { refund: allow() } });
const asking = definePolicy({ tools: { refund: ask() } });

/** A policy that changes between two attempts, as after a reload. `knowsBoth`: each process has what the other judged by. */
function replaceable({ knowsBoth = true } = {}) {
  const rules = { now: allowing };
  const policy: Policy = {
    get version() {
      return rules.now.version;
    },
    get profiles() {
      return rules.now.profiles;
    },
    evaluate: (call) => rules.now.evaluate(call),
    explain: (call) => rules.now.explain(call),
    at: (version) => (knowsBoth ? [allowing, asking].find((each) => each.version === version) : undefined),
  };
  return { policy, rules };
}

/** Opens a promise, and a way to fulfil it. */
function signal() {
  let send = () => {};
  const sent = new Promise<void>((resolve) => {
    send = resolve;
  });
  return { sent, send };
}

async function isProposal(request: Request): Promise<boolean> {
  if (!request.url.includes("/checkpoint/")) return false;
  return (await request.clone().text()).includes("countersign:propose");
}

async function approvalsIn(harness: Awaited<ReturnType<typeof openHarness>>): Promise<unknown[]> {
  const { body } = await harness.call("finance", "/approvals");
  return body.items;
}

/** The agent's network, or a gate without an agent. */
const ways: { way: string; options: Pick<HarnessOptions, "run"> }[] = [
  { way: "of AgentKit", options: {} },
  {
    way: "at a gate",
    options: {
      run: async ({ countersign, step, agent }) => {
        const gate = countersign.gate({ step, context: { requester: { id: "requester" } } });
        return gate.calls([...agent.tools.values()], [{ id: "c1", ...refund }]);
      },
    },
  },
];

describe("a call that one attempt of its run allows and another asks for", () => {
  it.each([
    { policy: "that asks", after: asking },
    { policy: "as it was", after: allowing },
  ])(
    "is not asked for if the engine never heard of the attempt that allowed it, with a policy $policy",
    async ({ after }) => {
      await using database = await freshPostgres();
      const { tools, effects } = deskTools();
      const { policy, rules } = replaceable();
      let attempt: "first" | "not recorded" | "over" = "first";
      let effectsOfFirst = 0;
      const turns = inTurns({ toolCalls: [refund] });
      const read: string[] = [];
      await using harness = await openHarness({
        ...{ database, tools, policy, checkpointing: true },
        reply: (conversation) => {
          read.push(JSON.stringify(conversation.messages));
          return turns(conversation);
        },
        onEngineRequest: async (request, handle) => {
          if (attempt !== "first" || !(await isProposal(request))) return handle(request);
          attempt = "not recorded";
          rules.now = after;
          return new Response("", { status: 409 });
        },
        onRequest: async (request, handle) => {
          const answer = await handle(request);
          if (attempt !== "not recorded") return answer;
          attempt = "over";
          // Before the engine has the answer, so before the next attempt.
          effectsOfFirst = effects.length;
          return new Response("gone", { status: 502, headers: { "retry-after": "0" } });
        },
      });
      const { runId } = await harness.say("Refund");
      await eventually(() => attempt === "over" || undefined, "the first attempt is over");
      expect(effectsOfFirst).toBe(1);
      await harness.clock.advance("2m");
      await harness.ended(runId);
      expect(await approvalsIn(harness)).toEqual([]);
      // AgentKit enters the handler of an allowed call again on each replay.
      if (after === asking) expect(effects).toHaveLength(1);
      else expect(effects.length).toBeGreaterThan(1);
      expect(read.at(-1)?.includes("may or may not have run")).toBe(after === asking);
    },
  );

  it.each(ways)("is not asked for while the attempt that allowed it runs, $way", async ({ options }) => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const { policy, rules } = replaceable();
    const second = signal();
    const allowed = signal();
    let attempts = 0;
    let isDoubled = false;
    await using harness = await openHarness({
      ...{
        database,
        tools,
        policy,
        checkpointing: true,
        reply: inTurns({ toolCalls: [refund] }),
        ...options,
      },
      onEngineRequest: async (request, handle) => {
        if (!(await isProposal(request))) return handle(request);
        attempts += 1;
        if (attempts === 1) {
          rules.now = asking;
          allowed.send();
          await second.sent;
          return handle(request);
        }
        const answer = await handle(request);
        second.send();
        return answer;
      },
      // The engine sends the request that proposes twice, and takes the second answer.
      onRequest: async (request, handle) => {
        if (isDoubled || !request.url.includes("fnId=harness-agent")) return handle(request);
        const again = request.clone();
        const first = handle(request);
        const proposes = await Promise.race([first.then(() => false), allowed.sent.then(() => true)]);
        if (!proposes) return first;
        isDoubled = true;
        const answer = await handle(again);
        second.send();
        await first;
        return answer;
      },
    });
    const { runId } = await harness.say("Refund");
    await harness.ended(runId);
    expect(attempts).toBe(2);
    expect(effects.length).toBeLessThanOrEqual(1);
    expect(await approvalsIn(harness)).toEqual([]);
  });

  it.each([
    { knowsBoth: true, status: "executed" },
    { knowsBoth: false, status: "withdrawn" },
  ])(
    "is $status if the attempt that would allow it is late, knowing both policies: $knowsBoth",
    async ({ knowsBoth, status }) => {
      await using database = await freshPostgres();
      const { tools, effects } = deskTools();
      const { policy, rules } = replaceable({ knowsBoth });
      const read = signal();
      const asked = signal();
      let reads = 0;
      let isDoubled = false;
      await using harness = await openHarness({
        ...{ database, tools, policy, checkpointing: true, reply: inTurns({ toolCalls: [refund] }) },
        between: (store) =>
          interceptedStore(store, {
            approvalsOf: async (carryOut, ...args) => {
              const rows = await carryOut(...args);
              reads += 1;
              if (reads > 1) return rows;
              read.send();
              await asked.sent;
              // This attempt was judged by the rules of its own process.
              rules.now = allowing;
              return rows;
            },
          }),
        onRequest: async (request, handle) => {
          if (isDoubled || !request.url.includes("fnId=harness-agent")) return handle(request);
          const again = request.clone();
          const first = handle(request);
          const proposes = await Promise.race([first.then(() => false), read.sent.then(() => true)]);
          if (!proposes) return first;
          isDoubled = true;
          rules.now = asking;
          const answer = await handle(again);
          asked.send();
          await first;
          return answer;
        },
      });
      const { runId } = await harness.say("Refund");
      if (knowsBoth) {
        const approval = await harness.onlyPending();
        expect(effects).toEqual([]);
        await harness.decide(approval, "approve");
      }
      await harness.ended(runId);
      expect(effects).toHaveLength(knowsBoth ? 1 : 0);
      expect(await approvalsIn(harness)).toMatchObject([{ status }]);
    },
  );
});

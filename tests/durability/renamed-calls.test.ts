import { randomUUID } from "node:crypto";
import type { RunGate } from "countersign";
import type { ApprovalView } from "countersign/hono";
import { describe, expect, it } from "vitest";
import { calls, openLoop } from "../support/loops/loop-desk.js";
import { takingTurns } from "../support/loops/ways.js";

type Body = Parameters<typeof openLoop>[0];

const refund = (order: unknown, id = "call_1") => calls([id, "refund", { order, amount: 10 }]);

/** Runs whose call is another one on each replay, and what the error says about it. */
const renamed: { what: string; body: Body; differs: string; cure: string }[] = [
  {
    what: "an argument",
    body: async (gate, { refund: tool }) => gate.calls([tool], refund(randomUUID())),
    differs: "what differs: arguments",
    cure: "the present time or a random id in step.run()",
  },
  {
    what: "its thread",
    body: async (_gate, { refund: tool }, { countersign, step }) => {
      const context = { requester: { id: "requester" }, threadId: randomUUID() };
      return countersign.gate({ step, context, agentName: "desk" }).calls([tool], refund("A-1"));
    },
    differs: "what differs: thread",
    cure: "create the thread in step.run()",
  },
  {
    what: "its requester",
    body: async (_gate, { refund: tool }, { countersign, step }) => {
      const context = { requester: { id: randomUUID() }, threadId: "thread-1" };
      return countersign.gate({ step, context, agentName: "desk" }).calls([tool], refund("A-1"));
    },
    differs: "what differs: requester",
    cure: "take the requester from the event",
  },
  {
    what: "another call of its response",
    body: async (gate, { refund: tool }) =>
      gate.calls([tool], [...refund("A-1"), ...refund(randomUUID(), randomUUID())].slice(0, 2)),
    differs: "what differs: response",
    cure: "the model's whole response from one step",
  },
];

// With names that are made anew on each replay, an engine never finds a step that it has planned.
const running = [
  ...renamed.map((each) => ({ ...each, how: { checkpointing: true } })),
  ...renamed.slice(0, 1).map((each) => ({ ...each, how: { replaying: "each-step" as const } })),
];

describe("a run fails before anybody is asked again", () => {
  it.each(running)("about a call if $what is made anew, $how", async ({ body, differs, cure, how }) => {
    await using loop = await openLoop(body, how);
    const { harness } = loop;
    const { runId } = await harness.say("go");
    const asked = await harness.onceAtRest(async () => {
      const { status } = await harness.runStatus(runId);
      const { body } = await harness.call("finance", "/approvals?status=pending");
      return body.items.length > 0 || status !== "Running" ? (body.items as ApprovalView[]) : undefined;
    }, "a call waits, or the run has ended");
    // A replay between the proposal and the question finds out before anybody is asked at all.
    expect(asked.length > 0).toBe("checkpointing" in how);
    for (const call of asked) await harness.decide(call, "deny");
    const output = (await loop.outputOf(runId)) as { message: string; code: string };
    expect(output.message).toContain('The call "call_1" of refund was proposed before in this run');
    expect(output.message).toContain(differs);
    expect(output.message).toContain(cure);
    const statuses = (await loop.asked()).map(({ toolCallId, status }) => [toolCallId, status]);
    const expected = asked.length > 0 ? "denied" : "proposed";
    expect(statuses.filter(([id]) => id === "call_1")).toEqual([["call_1", expected]]);
    expect(loop.ran).toEqual([]);
  });

  it("if an attempt whose answer was lost has proposed the call", async () => {
    let isLost = false;
    await using loop = await openLoop(
      async (gate, { refund: tool }) => gate.calls([tool], refund(randomUUID())),
      {
        checkpointing: true,
        between: (store) => ({
          ...store,
          async propose(...args) {
            const written = await store.propose(...args);
            if (isLost) return written;
            isLost = true;
            throw new Error("The connection was lost");
          },
        }),
      },
    );
    const { harness } = loop;
    const { runId } = await harness.say("go");
    await harness.onceAtRest(async () => {
      if (isLost) await harness.clock.advance("1m");
      return (await harness.runStatus(runId)).status === "Running" ? undefined : true;
    }, "the run has ended");
    expect(await loop.outputOf(runId)).toMatchObject({
      message: expect.stringContaining("what differs: arguments"),
    });
    expect(await loop.asked()).toMatchObject([{ status: "proposed" }]);
    expect(loop.ran).toEqual([]);
  });
});

/** Responses that give the same id again, as models with ids like "call_1" do. */
const repeating: Record<string, Body> = {
  "the same call": async (gate, { refund: tool }) => [
    ...(await gate.calls([tool], refund("A-1"))),
    ...(await gate.calls([tool], refund("A-1"))),
  ],
  "another call": async (gate, { refund: tool }) => [
    ...(await gate.calls([tool], refund("A-1"))),
    ...(await gate.calls([tool], refund("B-1"))),
  ],
  "a call after a step": async (gate, { refund: tool }, { step }) => [
    ...(await gate.calls([tool], refund("A-1"))),
    ...(await gate.calls([tool], refund(await step.run("order", () => "B-1")))),
  ],
};

const firsts = ["approve", "deny", "approve"] as const;
const decided = Object.entries(repeating).map(([what, body], index) => ({
  ...{ what, body, first: firsts[index] ?? "approve" },
}));

describe("a response may give the id of an earlier one to", () => {
  it.each(takingTurns(decided))("$what, if people $first the first, $way", async ({ body, first, how }) => {
    await using loop = await openLoop(body, how);
    const { harness } = loop;
    const { runId } = await harness.say("go");
    const one = await harness.onlyPending();
    await harness.decide(one, first);
    const other = await harness.nextPending(one);
    await harness.decide(other, "approve");
    expect(await loop.outputOf(runId)).toMatchObject([
      { status: first === "approve" ? "executed" : "refused" },
      { status: "executed" },
    ]);
    expect(await loop.asked()).toHaveLength(2);
  });
});

it("agents that run side by side may give the same id, even if one of them arrives late at its own call on a replay", async () => {
  let isProposed = false;
  const body: Body = async (gate, { refund: tool }, { step, countersign }) => {
    const context = { requester: { id: "requester" }, threadId: "thread-2" };
    const other: RunGate = countersign.gate({ step, context, agentName: "desk" });
    const slow = async () => {
      // Something else than a step, which lets the other agent arrive at its call first.
      for (let turn = 0; isProposed && turn < 200; turn++) await new Promise(setImmediate);
      return gate.calls([tool], refund("A-1"));
    };
    const quick = async () => other.calls([tool], refund(await step.run("model", () => "B-1")));
    return (await Promise.all([slow(), quick()])).flat();
  };
  await using loop = await openLoop(body, {
    replaying: "each-step",
    between: (store) => ({
      ...store,
      propose: async (...args) => {
        const written = await store.propose(...args);
        isProposed = true;
        return written;
      },
    }),
  });
  const { harness } = loop;
  const { runId } = await harness.say("go");
  await harness.onceAtRest(async () => {
    const { body } = await harness.call("finance", "/approvals?status=pending");
    for (const call of body.items) await harness.decide(call, "approve");
    return (await harness.runStatus(runId)).status === "Running" ? undefined : true;
  }, "the run has ended");
  await loop.outputOf(runId);
  expect(loop.ran.map(([, input]) => Reflect.get(Object(input), "order")).sort()).toEqual(["A-1", "B-1"]);
  expect(await loop.asked()).toHaveLength(2);
});

it("agents of one name may give the same id at once, in requests that do not know of each other", async () => {
  const [asked, written] = [signal(), signal()];
  const body: Body = async (gate, { refund: tool }, { step }) => {
    const quick = async () => gate.calls([tool], refund(await step.run("quick model", () => "A-1")));
    const slow = async () => {
      const model = async () => {
        await asked.given;
        return "B-1";
      };
      return gate.calls([tool], refund(await step.run("slow model", model)));
    };
    return (await Promise.all([quick(), slow()])).flat();
  };
  await using loop = await openLoop(body, {
    checkpointing: false,
    // The engine asks what comes next after each of the parallel steps.
    optimizeParallelism: false,
    between: (store) => ({
      ...store,
      async approvalsOf(...args) {
        // The proposal of the quick agent begins before the slow agent's model has answered, and reads after its proposal.
        const isFirst = !asked.isGiven;
        asked.give();
        if (isFirst) await written.given;
        return store.approvalsOf(...args);
      },
      async propose(...args) {
        const rows = await store.propose(...args);
        written.give();
        return rows;
      },
    }),
  });
  const { harness } = loop;
  const { runId } = await harness.say("go");
  for (const call of await harness.pending(2)) await harness.decide(call, "approve");
  await loop.outputOf(runId);
  expect(loop.ran.map(([, input]) => Reflect.get(Object(input), "order")).sort()).toEqual(["A-1", "B-1"]);
});

function signal() {
  let give = () => {};
  const state = {
    isGiven: false,
    given: new Promise<void>((resolve) => {
      give = resolve;
    }),
    give() {
      state.isGiven = true;
      give();
    },
  };
  return state;
}

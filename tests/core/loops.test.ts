import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { openHarness } from "../support/harness.js";
import { calls, openLoop } from "../support/loops/loop-desk.js";
import { hardestWay } from "../support/loops/ways.js";
import { stopCalls } from "../support/stops.js";

/** Decides as the inbox does. */
const decideWith = async (
  { call }: Awaited<ReturnType<typeof openHarness>>,
  { id, digest }: { id: string; digest: string },
  decision: object,
) => {
  const { status } = await call("finance", `/approvals/${id}/decision`, {
    method: "POST",
    body: { digest, ...decision },
  });
  expect(status).toBe(200);
};

describe("the gate of a run", () => {
  it("runs what is allowed, waits for people with the rest, and answers in the order of the calls", async () => {
    await using loop = await openLoop(
      (gate, { tools }) =>
        gate.calls(
          tools,
          calls(
            ["one", "refund", '{"order":"A-1","amount":80}'],
            ["two", "look_up", { order: "A-1" }],
            ["three", "erase", {}],
            ["four", "refund", { order: "A-2", amount: "many" }],
            ["five", "bribe", {}],
            ["six", "refund", { order: "A-3", amount: 5 }],
          ),
          { text: "I pay it back." },
        ),
      hardestWay,
    );
    const { runId } = await loop.harness.say("go");
    const waiting = await loop.harness.pending(2);
    expect(loop.ran).toEqual([]);
    const amountOf = ({ input }: { input: unknown }) => z.object({ amount: z.number() }).parse(input).amount;
    const [first, second] = waiting.sort((a, b) => amountOf(b) - amountOf(a));
    if (!first || !second) throw new Error("two calls wait");
    expect(first).toMatchObject({
      ...{ toolName: "refund", input: { order: "A-1", amount: 80 }, requesterId: "requester" },
      ...{ threadId: "thread-1", agentName: "desk", runId, requestId: second.requestId },
    });
    await loop.harness.decide(second, "deny", "finance", "Not this one");
    await loop.harness.decide(first, "approve");
    expect(await loop.outputOf(runId)).toMatchObject([
      { id: "one", name: "refund", status: "executed", content: `80 under ${first.id}`, isError: false },
      { id: "two", status: "executed", output: { paid: 80 }, content: '{"paid":80}', isError: false },
      { id: "three", status: "refused", refusal: { code: "denied_by_policy" }, isError: true },
      {
        id: "four",
        status: "refused",
        refusal: { code: "invalid_input" },
        content: expect.stringContaining("amount"),
      },
      { id: "five", status: "refused", refusal: { code: "unknown_tool" } },
      {
        ...{ id: "six", status: "refused", output: null, isError: true },
        content: expect.stringContaining("Their reason: Not this one."),
      },
    ]);
    expect(loop.ran).toEqual([
      ["refund", { order: "A-1", amount: 80 }],
      ["look_up", { order: "A-1" }],
    ]);
  });

  it("runs what a person changed, and tells the model", async () => {
    await using loop = await openLoop(
      (gate, { refund }) => gate.call(refund, { id: "one", input: { order: "A-1", amount: 80 } }),
      hardestWay,
    );
    const { runId } = await loop.harness.say("go");
    const call = await loop.harness.onlyPending();
    await decideWith(loop.harness, call, { type: "edit", input: { order: "A-1", amount: 50 } });
    expect(await loop.outputOf(runId)).toMatchObject({
      ...{ status: "executed", output: `50 under ${call.id}` },
      content: expect.stringMatching(/"note":".*amount/),
    });
    expect(loop.ran).toEqual([["refund", { order: "A-1", amount: 50 }]]);
  });

  it("reports an error of the tool as the call's result, and does not repeat the call", async () => {
    await using loop = await openLoop(
      (gate, { refund }) => gate.call(refund, { id: "one", input: { order: "broken", amount: 1 } }),
      hardestWay,
    );
    const { runId } = await loop.harness.say("go");
    await loop.harness.decide(await loop.harness.onlyPending(), "approve");
    expect(await loop.outputOf(runId)).toMatchObject({
      ...{ status: "failed", output: null, isError: true, content: "RangeError: The bank is closed" },
    });
    expect(loop.ran).toHaveLength(1);
  });

  it("asks a person, whose answer is the result", async () => {
    await using loop = await openLoop(
      (gate) => gate.ask({ message: "Which size?", choices: ["S", "L"] }),
      hardestWay,
    );
    const { runId } = await loop.harness.say("go");
    const question = await loop.harness.onlyPending();
    await decideWith(loop.harness, question, {
      type: "respond",
      response: { action: "accept", content: { choice: "L" } },
    });
    expect(await loop.outputOf(runId)).toMatchObject({
      ...{ status: "responded", output: { action: "accept", content: { choice: "L" } }, isError: false },
    });
  });

  it("starts no allowed call that a stop covers", async () => {
    await using loop = await openLoop(
      (gate, { lookUp }) => gate.call(lookUp, { id: "one", input: { order: "A-1" } }),
      hardestWay,
    );
    await stopCalls(loop.harness.store, "look_up");
    const { runId } = await loop.harness.say("go");
    expect(await loop.outputOf(runId)).toMatchObject({ status: "refused", refusal: { code: "stopped" } });
    expect(loop.ran).toEqual([]);
  });
});

it("two gates of one run ask about equal calls for each of their requesters", async () => {
  const same: Parameters<typeof calls> = [["one", "refund", { order: "A-1", amount: 80 }]];
  await using loop = await openLoop((_gate, { tools }, { countersign, step }) =>
    Promise.all(
      ["ada", "grace"].map((id) =>
        countersign.gate({ step, context: { requester: { id } } }).calls(tools, calls(...same)),
      ),
    ),
  );
  const { runId } = await loop.harness.say("go");
  const waiting = await loop.harness.pending(2);
  expect(waiting.map(({ requesterId }) => requesterId).sort()).toEqual(["ada", "grace"]);
  for (const approval of waiting) await loop.harness.decide(approval, "approve");
  expect(await loop.outputOf(runId)).toMatchObject([[{ status: "executed" }], [{ status: "executed" }]]);
  expect(loop.ran).toHaveLength(2);
});

import type { Message } from "@inngest/agent-kit";
import { expect, it } from "vitest";
import { repairToolCallIds, repairWithinResponse } from "./call-ids.js";
import { toolCallsOf } from "./tool-calls.js";

const response = (...ids: string[]): Message[] => [
  {
    type: "tool_call",
    role: "assistant",
    stop_reason: "tool",
    tools: ids.map((id) => ({ type: "tool", id, name: "refund", input: {} })),
  },
];

/** A run whose steps keep their results for its next execution. */
function openRun() {
  const memo = new Map<string, unknown>();
  const execution = (unseen: number) => ({
    hasGoneFurther: () => unseen > 0,
    knowsStep: (id: string) => memo.has(id),
    step: {
      run: async (id: string, body: () => unknown) => {
        if (!memo.has(id)) memo.set(id, await body());
        return memo.get(id);
      },
    },
  });
  return { execution, steps: () => [...memo.keys()] };
}

async function repaired(
  ids: string[],
  earlier: string[],
  execution = openRun().execution(0),
  key = "res_1.0",
): Promise<string[]> {
  const calls = toolCallsOf(response(...ids));
  await repairToolCallIds(execution as never, key, calls, response(...earlier));
  return calls.map(({ tool }) => tool.id);
}

it("call ids are kept, without a step, if each belongs to one call", async () => {
  const run = openRun();
  expect(await repaired(["call_a", "call_b"], ["call_c"], run.execution(0))).toEqual(["call_a", "call_b"]);
  expect(run.steps()).toEqual([]);
});

it("empty or repeated call ids, and tool names as ids, are replaced by ids that a replay repeats", async () => {
  const run = openRun();
  const ids = await repaired(["", "call_a", "call_a", "refund"], [], run.execution(0));
  expect(ids[1]).toBe("call_a");
  expect(new Set(ids).size).toBe(4);
  for (const id of [ids[0], ids[2], ids[3]]) expect(id).toMatch(/^call_[\w-]{22}$/);
  expect(await repaired(["", "call_a", "call_a", "refund"], [], run.execution(2))).toEqual(ids);
  expect(await repaired(["refund"], [], run.execution(0), "res_2.0")).not.toContain(ids[3]);
  expect(run.steps()).toEqual([]);
});

it("the ids of earlier calls are replaced in the same way, whatever a replay loads", async () => {
  const run = openRun();
  const ids = await repaired(["call_1", "call_2"], ["call_1"], run.execution(0));
  expect(ids).toEqual([expect.stringMatching(/^call_[\w-]{22}$/), "call_2"]);
  expect(run.steps()).toEqual(["countersign:call-ids:res_1.0"]);
  for (const loaded of [[], ["call_1"], ["call_1", "call_2"]]) {
    expect(await repaired(["call_1", "call_2"], loaded, run.execution(1))).toEqual(ids);
  }
});

it("the ids of a response that the run has passed are kept, even if a replay loads that response", async () => {
  const run = openRun();
  expect(await repaired(["call_1"], ["call_1"], run.execution(1))).toEqual(["call_1"]);
  expect(run.steps()).toEqual([]);
});

it("a response of a run that began with an earlier version is repaired as that version did", () => {
  const calls = toolCallsOf(response("refund", "refund"));
  repairWithinResponse("res_1.0", calls);
  expect(calls.map(({ tool }) => tool.id)).toEqual(["refund", expect.stringMatching(/^call_/)]);
});

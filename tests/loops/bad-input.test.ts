import type { RunGate } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { calls, type Desk, openLoop, plainError } from "../support/loops/loop-desk.js";
import { takeWarning } from "../support/run/warnings.js";

type Mistake = [
  name: string,
  body: (gate: RunGate, desk: Desk) => Promise<unknown>,
  code: string,
  ...says: string[],
];

const inputSchema = z.object({});
const input = { order: "A-1", amount: 5 };
/** A call of a tool that no gate accepts. */
const callOf = (tool: object) => (gate: RunGate) => gate.call(tool as never, { id: "one", input: {} });
const circular: Record<string, unknown> = {};
circular.self = circular;

const mistakes: Mistake[] = [
  [
    "two calls with one id",
    (gate, { tools }) => gate.calls(tools, calls(["one", "refund", input], ["one", "look_up", input])),
    "invalid_request",
    'two calls have the id "one" (of "refund" and "look_up")',
    "with an id of its own",
  ],
  [
    "a call without an id",
    (gate, { tools }) => gate.calls(tools, calls(["", "refund", input])),
    "invalid_request",
    'the call of "refund" has no id',
    "Pass the id",
  ],
  [
    "arguments that JSON cannot hold",
    (gate, { refund }) => gate.call(refund, { id: "one", input: circular }),
    "invalid_request",
    'the input of a call of "refund" cannot be written as JSON',
    "Pass what the model sent",
  ],
  [
    "a tool without a schema",
    callOf({ name: "pay", execute: () => 1 }),
    "invalid_option",
    'The tool "pay": inputSchema: is missing',
    "z.object({})",
  ],
  [
    "an object in place of a schema",
    callOf({ name: "pay", inputSchema: { orderId: "string" }, execute: () => 1 }),
    "invalid_option",
    'The tool "pay": inputSchema is no schema',
    '{ type: "object"',
  ],
  [
    "a schema that no model can be told",
    callOf({ name: "pay", inputSchema: z.object({ on: z.date() }), execute: () => 1 }),
    "invalid_option",
    '"pay" have no JSON Schema',
    "z.iso.datetime()",
  ],
  [
    "a tool without execute",
    callOf({ name: "pay", inputSchema }),
    "invalid_option",
    'The tool "pay": execute: must be a function',
  ],
  [
    "two tools with one name",
    (gate, { refund }) => gate.calls([refund, { ...refund }], calls(["one", "refund", input])),
    "invalid_option",
    'two tools have the name "refund"',
    "Give each a name of its own",
  ],
  [
    "a tool that is durable and idempotent",
    callOf({ name: "pay", inputSchema, execute: () => 1, durable: true, idempotent: true }),
    "invalid_option",
    'The tool "pay": durable and idempotent exclude each other',
  ],
];

describe("a mistake of the developer", () => {
  it.each(mistakes)("%s: is an error before anybody is asked", async (_name, body, code, ...says) => {
    await using loop = await openLoop(body);
    const { runId } = await loop.harness.say("go");
    const output = await loop.outputOf(runId);
    expect(output).toEqual({ code, message: expect.any(String) });
    for (const text of says) expect(JSON.stringify(output).replaceAll('\\"', '"')).toContain(text);
    expect(await loop.asked()).toEqual([]);
    expect(loop.ran).toEqual([]);
  });

  it("a tool that uses steps and is not durable: is an error before anybody is asked", async () => {
    await using loop = await openLoop((gate, { ran }, { step }) =>
      gate.call(
        {
          name: "refund",
          inputSchema,
          execute: () => step.run("pay", async () => ran.push(["refund", {}])),
        },
        { id: "one", input: {} },
      ),
    );
    const { runId } = await loop.harness.say("go");
    expect(await loop.outputOf(runId)).toMatchObject({
      code: "invalid_option",
      message: expect.stringMatching(/The tool "refund": execute calls step\.run,.*Add durable: true/),
    });
    expect(await loop.asked()).toEqual([]);
    expect(loop.ran).toEqual([]);
  });

  it("a tool whose steps its source does not show: fails once, and nobody is asked again", async () => {
    takeWarning(/The handler of "refund" used step\.run/);
    await using loop = await openLoop(async (gate, { ran }, { step }) => {
      const pay = () => step.run("pay", async () => ran.push(["refund", {}]));
      const tool = { name: "refund", inputSchema, execute: () => pay() };
      const first = await gate.call(tool, { id: "one", input: {} });
      return [first, await gate.call(tool, { id: "two", input: {} })];
    });
    const { runId } = await loop.harness.say("go");
    await loop.harness.decide(await loop.harness.onlyPending(), "approve");
    expect(await loop.outputOf(runId)).toMatchObject([
      { status: "failed", content: expect.stringMatching(/"refund" used step\.run.*durable: true/) },
      { status: "refused", content: expect.stringContaining("nobody was asked") },
    ]);
    expect(await loop.asked()).toHaveLength(1);
    expect(loop.ran).toEqual([]);
  });

  it("a call of an unknown tool: is refused with the tools that there are, and the others run", async () => {
    await using loop = await openLoop((gate, { tools }) =>
      gate.calls(tools, calls(["one", "bribe", {}], ["two", "look_up", { order: "A-1" }])),
    );
    const { runId } = await loop.harness.say("go");
    expect(await loop.outputOf(runId)).toMatchObject([
      {
        ...{ name: "bribe", status: "refused", isError: true, refusal: { code: "unknown_tool" } },
        content: expect.stringMatching(/no tool named bribe.*look_up, refund, erase/),
      },
      { name: "look_up", status: "executed" },
    ]);
    expect(await loop.asked()).toEqual([]);
  });

  it("is not repeated by Inngest", async () => {
    await using loop = await openLoop(async (gate, { refund }) => {
      const twice = calls(["one", "refund", input], ["one", "refund", input]);
      const error: unknown = await gate.calls([refund], twice).catch((thrown) => thrown);
      return String(error);
    });
    const { runId } = await loop.harness.say("go");
    expect(await loop.outputOf(runId)).toContain("NonRetriableError: gate: two calls");
  });
});

describe("a gate in the wrong place", () => {
  it("inside step.run: is an error", async () => {
    await using loop = await openLoop((gate, { refund }, { step }) =>
      step.run("outer", () => gate.call(refund, { id: "one", input }).catch(plainError)),
    );
    const { runId } = await loop.harness.say("go");
    expect(await loop.outputOf(runId)).toMatchObject({
      code: "invalid_context",
      message: expect.stringMatching(/"refund" inside step\.run.*in the function's body/),
    });
    expect(await loop.asked()).toEqual([]);
  });

  it("inside the execute of another tool: is that tool's error, which says how to declare it", async () => {
    takeWarning(/The handler of "look_up" called "refund" at a gate/);
    await using loop = await openLoop((gate, { refund, lookUp }) =>
      gate.call(
        { ...lookUp, execute: () => gate.call(refund, { id: "inner", input }) },
        { id: "one", input: { order: "A-1" } },
      ),
    );
    const { runId } = await loop.harness.say("go");
    expect(await loop.outputOf(runId)).toMatchObject({
      status: "failed",
      content: expect.stringMatching(/"look_up" called "refund" at a gate.*durable: true/),
    });
    expect(await loop.asked()).toEqual([]);
  });

  it("in another run: is an error", async () => {
    let first: RunGate | undefined;
    await using loop = await openLoop((gate, { refund }) => {
      first ??= gate;
      return first.call(refund, { id: "one", input: { ...input, order: 3 } });
    });
    const before = await loop.harness.say("go");
    await loop.outputOf(before.runId);
    const { runId } = await loop.harness.say("go");
    expect(await loop.outputOf(runId)).toMatchObject({
      code: "invalid_context",
      message: expect.stringMatching(/"refund" outside of the run.*countersign\.gate\(\{ step \}\)/),
    });
    expect(await loop.asked()).toEqual([]);
  });

  it("outside of an Inngest function: is an error", async () => {
    await using loop = await openLoop(async () => "unused");
    const step = { run() {}, invoke() {} };
    const { countersign } = loop.harness;
    expect(() => countersign.gate({ step })).toThrow(
      /only possible inside an Inngest function.*createFunction/,
    );
    expect(() => countersign.gate({} as never)).toThrow("step: must be the step tools");
  });
});

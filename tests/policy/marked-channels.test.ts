import { createTestHarness } from "@countersign/testing";
import { createAgent, createTool } from "@inngest/agent-kit";
import { tool } from "ai-6";
import { allow, definePolicy, gateTool, needsApproval, type RunGate } from "countersign";
import { type Countersign, createCountersign } from "countersign/agent-kit";
import { guardTools } from "countersign/ai-sdk";
import { pgliteStore } from "countersign/pglite";
import { Inngest } from "inngest";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { plainError } from "../support/loops/loop-desk.js";
import { recordingChannel } from "../support/recording-channel.js";

const { channel } = recordingChannel({ name: "slack" });
const policy = definePolicy({ tools: { "*": allow() }, profiles: { clerk: { tools: {} } } });
const unknown = {
  code: "invalid_option",
  message:
    'needsApproval: "refund": notify: "slakc:#money" names no channel; the channels are slack; did you mean "slack"?',
};

type Terms = Parameters<typeof needsApproval>[1];

const refund = (terms: Terms) =>
  needsApproval(createTool({ name: "refund", parameters: z.object({}), handler: () => "ran" }), terms);

const start = () =>
  createCountersign({
    inngest: new Inngest({ id: "desk", isDev: true }),
    ...{ store: pgliteStore(), policy, channels: [channel] },
  });

describe("a mark that names a channel which the instance does not have", () => {
  const mark = { notify: ["slakc:#money"] };

  it("is refused where the agent is guarded", () => {
    const agent = createAgent({ name: "desk", system: "s", tools: [refund(mark)] });
    expect(() => start().guard(agent)).toThrow(expect.objectContaining(unknown));
  });

  it("is refused where a guarded agent gets the tool", () => {
    const agent = start().guard(createAgent({ name: "desk", system: "s" }));
    expect(() => agent.tools.set("refund", refund(mark))).toThrow(expect.objectContaining(unknown));
  });

  it.each<[way: string, use: (gate: RunGate, countersign: Countersign) => unknown]>([
    [
      "the gate gets the tool, also if the model does not call it",
      (gate) => {
        const own = { name: "refund", inputSchema: z.object({}), execute: () => "ran" };
        return gate.calls([needsApproval(gateTool(own), mark)], []);
      },
    ],
    [
      "tools of the AI SDK are guarded",
      (gate) => {
        const own = tool({ inputSchema: z.object({}), execute: () => "ran" });
        return guardTools({ refund: needsApproval(own, mark) }, gate);
      },
    ],
    [
      "functions get a profile",
      (_, countersign) =>
        countersign.applyProfile({ refund: needsApproval(() => "ran", mark) }, { profile: "clerk" }),
    ],
  ])("is refused where %s", async (_way, use) => {
    const found: unknown[] = [];
    await using harness = await createTestHarness({
      ...{ policy, countersign: { channels: [channel] }, reply: () => ({ text: "unused" }) },
      functions: ({ inngest, countersign }) => [
        inngest.createFunction({ id: "desk", triggers: [{ event: "desk/go" }] }, async ({ step }) => {
          const gate = countersign.gate({ step, context: { requester: { id: "requester" } } });
          const using = async () => use(gate, countersign);
          await using().catch((error) => found.push(plainError(error)));
        }),
      ],
    });
    await (await harness.send({ name: "desk/go" })).ended();
    expect(found[0]).toEqual(unknown);
  });
});

it("a mark that lets people decide in a channel that only notifies is refused, too", () => {
  const agent = createAgent({ name: "desk", system: "s", tools: [refund({ decideIn: ["inbox", "slack"] })] });
  expect(() => start().guard(agent)).toThrow(
    'needsApproval: "refund": decideIn: "slack" only notifies, so nobody can decide there; name it in notify instead',
  );
});

import { ask, definePolicy, deny, manual, type Policy } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { runSql } from "../support/audit-log.js";
import { deskTools } from "../support/desk-tools.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

// In more shapes: tests/agents/what-you-saw-is-what-runs.test.ts. Redeploys: tests/durability/redeploy-mid-run.test.ts.

type World = Awaited<ReturnType<typeof openWaitingRefund>> & {
  tools: ReturnType<typeof deskTools>["tools"];
  rules: { now: Policy };
};

/** What the attacker, or a release, puts in the place of the tool that was approved. */
function replaceTool({ tools }: World, changes: object) {
  const index = tools.findIndex(({ name }) => name === "refund");
  tools[index] = { ...tools[index], ...changes } as never;
}

const row = (assignment: string) => (world: World) =>
  runSql(world.database, `update countersign.approvals set ${assignment}`);

const cases: [string, string, (world: World) => unknown][] = [
  [
    "one byte of the arguments, in the database",
    "digest_changed",
    row("input_json = replace(input_json, '80', '81')"),
  ],
  ["one byte of a key", "digest_changed", row("input_json = replace(input_json, 'amount', 'Amount')")],
  [
    "a second amount beside the first",
    "digest_changed",
    row(`input_json = replace(input_json, '}', ',"amount":9}')`),
  ],
  [
    "the arguments by way of an edit that nobody made",
    "digest_changed",
    row(`edited_input_json = '{"id":"A-1","amount":9}', edited_digest = digest`),
  ],
  ["the digest alone", "digest_changed", row("digest = repeat('0', 64)")],
  ["the tool's name", "digest_changed", row("tool_name = 'erase'")],
  ["the tool's version", "digest_changed", row("tool_version = repeat('0', 64)")],
  ["the policy's version", "digest_changed", row("policy_version = 'another'")],
  [
    "one byte of the tool's description, by a release",
    "tool_changed",
    (world) => replaceTool(world, { description: "Refund an order!" }),
  ],
  [
    "one limit of the tool's schema, by a release",
    "tool_changed",
    (world) => replaceTool(world, { parameters: z.object({ id: z.string(), amount: z.number().max(1e6) }) }),
  ],
  [
    "the policy, which now forbids the call",
    "policy_changed",
    ({ rules }) => {
      rules.now = definePolicy({ tools: { refund: deny("Frozen") } });
    },
  ],
  [
    "the policy, which now wants a person to do it",
    "policy_changed",
    ({ rules }) => {
      rules.now = definePolicy({ tools: { refund: manual() } });
    },
  ],
];

describe("after the approval changes", () => {
  it.each(cases)("%s: it does not start, and status, model and log say why", async (_what, cause, change) => {
    const { tools, effects } = deskTools();
    const rules = { now: definePolicy({ tools: { refund: ask() } }) };
    const policy: Policy = {
      get version() {
        return rules.now.version;
      },
      evaluate: (call) => rules.now.evaluate(call),
      explain: (call) => rules.now.explain(call),
      profiles: [],
    };
    await using world = await openWaitingRefund({ tools, policy });
    const { harness, approval, runId } = world;
    await harness.engine.stop();
    expect((await harness.decide(approval, "approve")).status).toBe(200);
    await change({ ...world, tools, rules });
    await harness.engine.start();
    await harness.ended(runId);
    expect(effects).toEqual([]);
    expect(world.effects).toEqual([]);
    expect(await harness.approval(approval.id)).toMatchObject({
      status: "withdrawn",
      withdrawalCause: cause,
    });
    expect(JSON.stringify(harness.model.requests[1]?.body)).toContain("approval_withdrawn");
    const trail = await harness.store.auditTrail("acme", approval.id);
    expect(trail.at(-1)).toMatchObject({ type: "approval.withdrawn", actorId: null, data: { cause } });
    expect(trail.map(({ type }) => type)).not.toContain("approval.executing");
  });
});

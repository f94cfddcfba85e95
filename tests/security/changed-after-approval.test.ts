import { ask, definePolicy, deny, manual, type Policy } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { runSql } from "../support/audit-log.js";
import { deskTools } from "../support/desk-tools.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

// tests/core/what-you-saw-is-what-runs.test.ts tests more kinds of change.
// tests/core/redeploy-mid-run.test.ts tests redeploys.

type World = Awaited<ReturnType<typeof openWaitingRefund>> & {
  tools: ReturnType<typeof deskTools>["tools"];
  rules: { now: Policy };
};

/** Replaces the approved tool, as a release or an attacker does. */
function replaceTool({ tools }: World, changes: object) {
  const index = tools.findIndex(({ name }) => name === "refund");
  tools[index] = { ...tools[index], ...changes } as never;
}

const row = (assignment: string) => (world: World) =>
  runSql(world.database, `update countersign.approvals set ${assignment}`);

const cases: [string, string, (world: World) => unknown][] = [
  [
    "one byte of its arguments changes",
    "digest_changed",
    row("input_json = replace(input_json, '80', '81')"),
  ],
  [
    "one byte of an argument's name changes",
    "digest_changed",
    row("input_json = replace(input_json, 'amount', 'Amount')"),
  ],
  [
    "its arguments get a second key amount",
    "digest_changed",
    row(`input_json = replace(input_json, '}', ',"amount":9}')`),
  ],
  [
    "its row gets an edit that nobody made",
    "digest_changed",
    row(`edited_input_json = '{"id":"A-1","amount":9}', edited_digest = digest`),
  ],
  ["only its digest changes", "digest_changed", row("digest = repeat('0', 64)")],
  ["its tool name changes", "digest_changed", row("tool_name = 'erase'")],
  ["its tool version changes", "digest_changed", row("tool_version = repeat('0', 64)")],
  ["its policy version changes", "digest_changed", row("policy_version = 'another'")],
  [
    "a release changes one byte of the tool's description",
    "tool_changed",
    (world) => replaceTool(world, { description: "Refund an order!" }),
  ],
  [
    "a release changes one limit of the tool's schema",
    "tool_changed",
    (world) => replaceTool(world, { parameters: z.object({ id: z.string(), amount: z.number().max(1e6) }) }),
  ],
  [
    "the policy now denies it",
    "policy_changed",
    ({ rules }) => {
      rules.now = definePolicy({ tools: { refund: deny("Frozen") } });
    },
  ],
  [
    "the policy now gives it the verdict manual",
    "policy_changed",
    ({ rules }) => {
      rules.now = definePolicy({ tools: { refund: manual() } });
    },
  ],
];

describe("an approved call", () => {
  it.each(cases)("is withdrawn when %s, and the cause is recorded", async (_what, cause, change) => {
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

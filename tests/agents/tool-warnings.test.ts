import { createTool, type Tool } from "@inngest/agent-kit";
import { allow, ask, definePolicy, deny, type Logger, type Policy } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { openHarness } from "../support/harness.js";
import type { HarnessOptions } from "../support/harness-options.js";

/** The warnings of an agent with these tools, in two runs. */
async function warningsOf(policy: Policy, tools: Tool.Any[], more: Partial<HarnessOptions> = {}) {
  await using database = await freshPostgres();
  const warnings: string[] = [];
  const logger: Logger = { info() {}, error() {}, warn: (message) => warnings.push(message) };
  await using harness = await openHarness({
    ...{ database, policy, tools, reply: () => ({ text: "Hello" }), countersign: { logger } },
    ...more,
  });
  for (const message of ["Hello", "Hello again"]) {
    const { runId } = await harness.say(message);
    await harness.ended(runId);
  }
  return warnings;
}

const tool = (name: string) => createTool({ name, parameters: z.object({}), handler: () => "ran" });

describe("a run of a guarded agent", () => {
  it("warns once about each tool that no rule names, and about no other", async () => {
    const policy = definePolicy({
      tools: {
        refund: ask(),
        closeAccount: ask(),
        // This rule abstains from a call without an amount.
        pay: ({ input }) => (Number(Object(input).amount) > 1 ? ask() : undefined),
      },
    });
    const tools = [tool("refund"), tool("pay"), tool("refnd"), tool("close_account")];
    const found = await warningsOf(policy, tools, {
      run: async ({ countersign, agent, state, message }) => {
        agent.tools.set("request_human_input", countersign.requestHumanInput());
        await countersign.guard(agent).run(message, { state });
      },
    });
    expect(found).toEqual([
      expect.stringMatching(
        /No rule of the policy covers "refnd", a tool of the agent "support".*Add a rule.*intended\.$/,
      ),
      expect.stringMatching(
        /No rule of the policy covers "close_account".*The policy has a rule for "closeAccount": use one spelling\.$/,
      ),
    ]);
  });

  it.each([
    [
      "the default allows",
      definePolicy({ tools: { closeAccount: ask(), "*_user": deny() }, default: allow() }),
    ],
    [
      "a rule for all tools allows",
      definePolicy({ tools: { closeAccount: ask(), "*_user": deny(), "*": allow() } }),
    ],
  ])("warns once about each tool that %s and that a rule misses by its spelling", async (_, policy) => {
    const tools = ["close_account", "delete-user", "lookup"].map(tool);
    expect(await warningsOf(policy, tools)).toEqual(
      [
        ["closeAccount", "close_account"],
        ["*_user", "delete-user"],
      ].map(([rule, name]) =>
        expect.stringContaining(
          `The policy has a rule for "${rule}", but the agent "support" has the tool "${name}", which this rule does not cover. Use one spelling.`,
        ),
      ),
    );
  });

  it("does not warn of a tool that the default denies only without a preview", async () => {
    const policy = definePolicy({ tools: {}, default: ask({ withoutPreview: "deny" }) });
    expect(await warningsOf(policy, [tool("lookup")])).toEqual([]);
  });

  it("does not warn of another spelling if the rule covers another tool of the agent", async () => {
    const policy = definePolicy({ tools: { closeAccount: ask() }, default: allow() });
    expect(await warningsOf(policy, [tool("closeAccount"), tool("close_account")])).toEqual([]);
  });
});

import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy } from "countersign";
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { openHarness } from "../support/harness.js";

let warn: MockInstance<typeof console.warn>;
beforeEach(() => {
  warn = vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());
const warnings = () =>
  warn.mock.calls.map(([text]) => String(text)).filter((text) => text.startsWith("Counter"));

const tool = (name: string) => createTool({ name, parameters: z.object({}), handler: () => "ran" });

describe("a run of a guarded agent", () => {
  it("warns once about each tool that no rule names, and about no other", async () => {
    await using database = await freshPostgres();
    const policy = definePolicy({
      tools: {
        refund: ask(),
        closeAccount: ask(),
        // This rule abstains from a call without an amount.
        pay: ({ input }) => (Number(Object(input).amount) > 1 ? ask() : undefined),
      },
    });
    await using harness = await openHarness({
      database,
      policy,
      tools: [tool("refund"), tool("pay"), tool("refnd"), tool("close_account")],
      reply: () => ({ text: "Hello" }),
      run: async ({ countersign, agent, state, message }) => {
        agent.tools.set("request_human_input", countersign.requestHumanInput());
        await countersign.guard(agent).run(message, { state });
      },
    });
    for (const message of ["Hello", "Hello again"]) {
      const { runId } = await harness.say(message);
      await harness.ended(runId);
    }
    expect(warnings()).toEqual([
      expect.stringMatching(
        /No rule of the policy covers "refnd", a tool of the agent "support".*Add a rule.*intended\.$/,
      ),
      expect.stringMatching(
        /No rule of the policy covers "close_account".*The policy has a rule for "closeAccount": use one spelling\.$/,
      ),
    ]);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../../support/databases.js";
import { inTurns } from "../../support/desk-tools.js";
import { type Harness, openHarness } from "../../support/harness.js";
import type { HarnessOptions } from "../../support/harness-options.js";
import { runs } from "../model/settings.js";
import { agents, type Started } from "./agents.js";
import { fates, policy, type Script, scriptOf, type ToolName, toolNames } from "./calls.js";

const ways: Record<string, Pick<HarnessOptions, "checkpointing" | "replaying">> = {
  "with checkpoints": { checkpointing: true },
  "without checkpoints": { checkpointing: false },
  "replaying for each step": { replaying: "each-step" },
  "replaying to plan each step": { replaying: "each-planned-step" },
};

/** What a person decides about a call. */
const decisions: Partial<Record<ToolName, object>> = {
  "desk-approved": { type: "approve" },
  "desk-last": { type: "approve" },
  "desk-denied": { type: "deny", reason: "Not today" },
  "desk-manual": { type: "respond", response: "by hand" },
};

/** Decides what waits, until the run has ended. */
async function decideAll({ onceAtRest, call, runStatus }: Harness, runId: string): Promise<void> {
  await onceAtRest(async () => {
    const { status, output } = await runStatus(runId);
    if (status === "Completed") return true;
    if (status !== "Running") throw new Error(`run ${status}: ${JSON.stringify(output)}`);
    const { body } = await call("finance", "/approvals?status=pending");
    for (const { id, digest, toolName } of body.items) {
      const decision = { ...decisions[toolName as ToolName], digest };
      await call("finance", `/approvals/${id}/decision`, { method: "POST", body: decision });
    }
    return undefined;
  }, "the run has ended");
}

describe.each(Object.entries(agents))("a run of %s", (_agent, agent) => {
  it.each(Object.entries(ways))(
    "asks once about each call, starts it at most once, and never if it was denied, %s",
    async (_way, way) => {
      await using database = await freshPostgres();
      const { tools = toolNames } = agent;
      const started: Started[] = [];
      let script: Script = [];
      const { options, close } = await agent.open(started, () => script);
      try {
        await using harness = await openHarness({
          ...{ database, policy, ...options, ...way },
          reply: (conversation) => inTurns(...script.map((toolCalls) => ({ toolCalls })))(conversation),
        });
        const property = fc.asyncProperty(scriptOf(tools), async (responses) => {
          script = responses;
          started.length = 0;
          const { runId } = await harness.say("go");
          await decideAll(harness, runId);
          const all = await harness.store.listApprovals({ tenantId: "acme", limit: 200 });
          const ended = all
            .filter((approval) => approval.runId === runId)
            .map(({ toolName, status }) => [toolName, status]);
          expect(ended.sort()).toEqual(tools.map((name) => [name, fates[name]]).sort());
          const calls = responses.flat();
          expect(byName(started)).toEqual(byName(calls.filter(({ name }) => fates[name] === "executed")));
        });
        await fc.assert(property, { ...runs(1), endOnFailure: true });
      } finally {
        await close?.();
      }
    },
  );
});

const byName = (calls: readonly { name: string }[]) =>
  calls.toSorted((one, other) => (one.name < other.name ? -1 : 1));

import fc from "fast-check";
import { expect } from "vitest";
import { freshPostgres } from "../../support/databases.js";
import { inTurns } from "../../support/desk-tools.js";
import { type Harness, openHarness } from "../../support/harness.js";
import type { HarnessOptions } from "../../support/harness-options.js";
import { runs } from "../model/settings.js";
import type { agents, Started } from "./agents.js";
import { fates, policy, type Script, scriptOf, type ToolName, toolNames } from "./calls.js";

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

/**
 * Lets an agent propose calls of every verdict, with random arguments whose keys are not sorted, and decides them. Checks that
 * people are asked once about each, and that each starts at most once, and never if it was denied.
 */
export async function askOnce(
  agent: (typeof agents)[string],
  way: Pick<HarnessOptions, "checkpointing" | "replaying">,
): Promise<void> {
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
}

const byName = (calls: readonly { name: string }[]) =>
  calls.toSorted((one, other) => (one.name < other.name ? -1 : 1));

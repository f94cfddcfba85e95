import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { demoInstallation } from "../support/demo/demo-process.js";
import { type Crash, expectSurvival } from "../support/demo/killed-at.js";

/** Where the process dies, and what must be true once it was restarted and the run has ended. */
const crashPoints: readonly Crash[] = [
  { point: "after-propose", decidedBefore: false, effects: 1, status: "executed" },
  { point: "after-announce", decidedBefore: false, effects: 1, status: "executed" },
  { point: "after-decision", decidedBefore: true, effects: 1, status: "executed" },
  { point: "after-decision", decidedBefore: true, holdMs: 3_000, effects: 1, status: "executed" },
  { point: "after-look", decidedBefore: true, holdMs: 3_000, effects: 1, status: "executed" },
  { point: "after-claim", decidedBefore: true, effects: 0, status: "interrupted" },
  { point: "after-handler", decidedBefore: true, effects: 1, status: "interrupted" },
  { point: "after-record", decidedBefore: true, effects: 1, status: "executed" },
];

describe.each([
  ["PGlite", "agentkit"],
  ["Postgres", "agentkit"],
  ["Postgres", "loop"],
  ["Postgres", "ai-sdk"],
] as const)("the demo on %s with AGENT=%s", (kind, agent) => {
  async function install() {
    if (kind === "PGlite") return { demo: await demoInstallation({ AGENT: agent }), database: undefined };
    const database = await freshPostgres(1);
    return { demo: await demoInstallation({ AGENT: agent, DATABASE_URL: database.url }), database };
  }

  it.each(crashPoints)("killed at $point ends its call as $status (effects: $effects)", async (expected) => {
    const { demo, database } = await install();
    await using _demo = demo;
    await using _database = database ?? { [Symbol.asyncDispose]: async () => {} };
    await expectSurvival(demo, expected);
  });

  it("killed while a call waits keeps the call and its run", async () => {
    const { demo, database } = await install();
    await using _demo = demo;
    await using _database = database ?? { [Symbol.asyncDispose]: async () => {} };
    await demo.start();
    const { threadId } = await demo.say("Please refund order A-1001");
    const before = await demo.pending();
    await demo.kill();
    await demo.start();
    const after = await demo.pending();
    expect(after).toEqual(before);
    await demo.call("lead", `/approvals/${after.id}/decision`, { type: "approve", digest: after.digest });
    await demo.threadDone(threadId);
    expect(await demo.effects()).toHaveLength(1);
  });
});

import { it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { demoInstallation } from "../support/demo/demo-process.js";
import { expectSurvival } from "../support/demo/killed-at.js";

// tests/durability/kill-nine kills at every other point as well, on each database and with each kind of agent.
it("a call whose process is killed right after its claim is interrupted, and does not start", async () => {
  await using database = await freshPostgres(1);
  await using demo = await demoInstallation({ AGENT: "agentkit", DATABASE_URL: database.url });
  await demo.start();
  const ends = { status: "interrupted", effects: 0 };
  await expectSurvival(demo, { point: "after-claim", decided: true, ends });
});

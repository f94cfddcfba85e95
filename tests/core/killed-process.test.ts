import { it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { demoInstallation } from "../support/demo/demo-process.js";
import { expectSurvival } from "../support/demo/killed-at.js";

it.each([
  { point: "after-claim", decidedBefore: true, effects: 0, status: "interrupted" },
  { point: "after-decision", decidedBefore: true, effects: 1, status: "executed" },
])("killed at $point ends its call as $status (effects: $effects)", async (crash) => {
  await using database = await freshPostgres(1);
  await using demo = await demoInstallation({ AGENT: "agentkit", DATABASE_URL: database.url });
  await expectSurvival(demo, crash);
});

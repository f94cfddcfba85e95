import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

it("the name of a user's message cannot be calculated from its text, although ids derive from it", async () => {
  await using database = await freshPostgres();
  const { tools } = deskTools();
  await using harness = await openHarness({ database, tools, reply: inTurns({ text: "Noted" }) });
  const message = "My PIN is 4711";
  const { runId } = await harness.say(message);
  await harness.ended(runId);
  const rows = await database.admin`select key from countersign.thread_entries where key like 'user:%'`;
  expect(rows).toHaveLength(1);
  const guess = createHash("sha256")
    .update(JSON.stringify(["desk", message]))
    .digest("base64url");
  expect(rows[0]?.key).toMatch(new RegExp(`^user:${runId}\\.turn_`));
  expect(rows[0]?.key).not.toContain(guess.slice(0, 22));
});

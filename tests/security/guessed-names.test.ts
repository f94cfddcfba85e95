import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness, principals } from "../support/harness.js";

/** How the product derives an id from texts. */
const derived = (prefix: string, ...parts: string[]) =>
  `${prefix}_${createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22)}`;

it("ids of messages cannot be calculated from what the messages say", async () => {
  await using database = await freshPostgres();
  const { tools } = deskTools();
  await using harness = await openHarness({ database, tools, reply: inTurns({ text: "Your PIN is 4711" }) });
  const { runId, threadId } = await harness.say("My PIN is 4711");
  await harness.ended(runId);
  const rows = await database.admin`
    select key from countersign.thread_entries where thread_id = ${threadId} order by seq`;
  const keys = rows.map(({ key }) => String(key));
  // The names in the database can be calculated, if somebody knows all of the text.
  expect(keys).toHaveLength(2);
  expect(keys[0]).toBe(`user:${runId}.${derived("turn", "desk", "My PIN is 4711")}.0`);

  const reader = principals.requester as NonNullable<typeof principals.requester>;
  const entries = await harness.countersign.threads.readEntries(threadId, reader);
  const turns = await harness.countersign.threads.readTurns(threadId, reader);
  const shown = [...entries.map(({ id }) => id), turns.last?.id, turns.last?.asked.id];
  expect(shown.every((id) => /^(msg|turn)_/.test(id ?? ""))).toBe(true);
  const guesses = keys.flatMap((key) => [derived("msg", threadId, key), derived("turn", threadId, key)]);
  expect(shown.filter((id) => guesses.includes(id ?? ""))).toEqual([]);
});

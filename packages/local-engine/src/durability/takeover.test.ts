import { expect, test } from "vitest";
import { createTestClock } from "../index.js";
import { type Journal, outputsOf, startLife } from "../testing/crash-scenario.js";
import { emptyPglite } from "../testing/shared-pglite.js";

test("an engine that was replaced starts nothing that becomes due later", async () => {
  const clock = createTestClock();
  const journal: Journal = { bodies: [] };
  const database = { pglite: await emptyPglite() };
  const first = await startLife(database, clock, journal);
  const { ids } = await first.inngest.send({ name: "t/all", data: {} });
  await first.slowEntered;
  first.releaseSlow();
  await first.engine.idle();
  const second = await startLife(database, clock, journal);
  // The timers of both engines fire, for the second attempt of a step and for nothing else.
  await clock.advance("2m");
  await first.engine.idle();
  await second.engine.idle();
  expect(await outputsOf(second.engine, ids[0] ?? "")).toMatchObject({
    "app-retries": ["Completed", "flaky"],
  });
  expect(journal.bodies.filter((body) => body === "flaky")).toHaveLength(1);
  await first.engine.stop();
  await second.engine.stop();
});

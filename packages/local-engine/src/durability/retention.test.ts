import { PGlite } from "@electric-sql/pglite";
import { Inngest } from "inngest";
import { serve } from "inngest/edge";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLocalEngine, createTestClock, type LocalEngineOptions } from "../index.js";

const silent = { info() {}, warn() {}, error() {}, debug() {} };

let pglite: PGlite;
beforeAll(async () => {
  pglite = await PGlite.create();
});
afterAll(() => pglite.close());

async function openEngine(options: Partial<LocalEngineOptions> = {}) {
  const clock = createTestClock();
  const engine = await createLocalEngine({ database: { pglite }, clock, logger: silent, ...options });
  const { baseUrl, fetch } = engine;
  const inngest = new Inngest({ id: "app", isDev: true, baseUrl, fetch, logger: silent });
  const works = inngest.createFunction({ id: "works", triggers: { event: "t/work" } }, ({ step }) =>
    step.run("work", () => "done"),
  );
  const waits = inngest.createFunction({ id: "waits", triggers: { event: "t/wait" } }, async ({ step }) => {
    await step.run("before", () => "before");
    return (await step.waitForEvent("wait", { event: "t/go", timeout: "365d" }))?.data ?? null;
  });
  await engine.registerApp({ handler: serve({ client: inngest, functions: [works, waits] }) });
  await engine.start();
  return {
    clock,
    engine,
    inngest,
    async counts() {
      const counts: Record<string, number> = {};
      for (const table of ["run", "step", "event"]) {
        const { rows } = await pglite.query<{ count: number }>(
          `select count(*)::int as count from local_engine.${table}`,
        );
        counts[table] = rows[0]?.count ?? 0;
      }
      return counts;
    },
    async outputOf(eventId: string) {
      const answer = await engine.fetch(`${baseUrl}/v1/events/${eventId}/runs?at=${clock.now()}`);
      const { data } = (await answer.json()) as { data: { status: string; output: unknown }[] };
      return data[0] && [data[0].status, data[0].output];
    },
  };
}

test("ended runs and received events are deleted after a week, and waiting runs are kept", async () => {
  const { clock, engine, inngest, counts, outputOf } = await openEngine();
  const { ids } = await inngest.send({ name: "t/wait", data: {} });
  for (let n = 0; n < 250; n++) await inngest.send({ name: "t/work", data: { n } });
  await inngest.send({ name: "t/nobody", data: {} });
  await engine.idle();
  // An ended run leaves no steps.
  expect(await counts()).toEqual({ run: 251, step: 2, event: 252 });
  await clock.advance("6d");
  expect(await counts()).toMatchObject({ run: 251, event: 252 });
  await clock.advance("2d");
  await engine.idle();
  expect(await counts()).toEqual({ run: 1, step: 2, event: 1 });
  await inngest.send({ name: "t/go", data: { approved: true } });
  await engine.idle();
  expect(await outputOf(ids[0] ?? "")).toEqual(["Completed", { approved: true }]);
  // Later runs cause more clean-ups, so the tables do not grow.
  for (let week = 0; week < 5; week++) {
    for (let n = 0; n < 10; n++) await inngest.send({ name: "t/work", data: { week, n } });
    await engine.idle();
    await clock.advance("8d");
    await engine.idle();
    expect(await counts()).toEqual({ run: 0, step: 0, event: 0 });
  }
  await engine.stop();
});

test("nothing is deleted with retention: false", async () => {
  const { clock, engine, inngest, counts } = await openEngine({ retention: false });
  await inngest.send({ name: "t/work", data: {} });
  await engine.idle();
  await clock.advance("400d");
  expect(await counts()).toMatchObject({ run: 1, event: 1 });
  await engine.stop();
});

test.each(["1h", "", "soon"])("retention %j is refused before a database is opened", async (retention) => {
  const client = postgres("postgres://nobody@127.0.0.1:1/none");
  await expect(createLocalEngine({ database: { postgres: client }, retention })).rejects.toThrow(
    /retention|duration/,
  );
});

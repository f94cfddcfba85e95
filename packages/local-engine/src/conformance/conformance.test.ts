import { PGlite } from "@electric-sql/pglite";
import { beforeAll, describe, expect, test } from "vitest";
import { createLocalEngine, createTestClock, type LocalEngine, type TestClock } from "../index.js";
import { describeFunction, readRegisteredFunctions } from "./recorded-apps.js";
import { ReplayApp } from "./replay-app.js";
import { readTranscript, runRequestBodySchema } from "./transcript.js";

/** Checks that each request of a function's runs is the recorded one, except for ids and times. */
function expectAsRecorded(app: ReplayApp, functionId: string, runs: number): void {
  const compared = app.compare(functionId);
  expect(compared).toHaveLength(runs);
  for (const { expected, actual } of compared) expect(actual).toEqual(expected);
}

/** Sorts the lists of completed steps in the requests. */
function sortStacks(requests: unknown): unknown {
  return JSON.parse(JSON.stringify(requests), (key, value: unknown) =>
    key === "stack" && Array.isArray(value) ? value.sort() : value,
  );
}

async function post(engine: LocalEngine, event: { name: string; data: unknown; id?: string }): Promise<void> {
  const response = await engine.fetch(`${engine.baseUrl}/e/key`, {
    method: "POST",
    body: JSON.stringify(event),
  });
  expect(response.status).toBe(200);
  await engine.idle();
}

/** Sends the event that started the first recorded run. */
async function sendRecorded(engine: LocalEngine, transcript: string): Promise<void> {
  const { event } = runRequestBodySchema.parse(readTranscript(transcript)[0]?.request.body);
  const isGenerated = /^[0-9A-Z]{26}$/.test(event.id);
  await post(engine, { name: event.name, data: event.data, ...(isGenerated ? {} : { id: event.id }) });
}

describe("requests to the recorded app", () => {
  const transcripts = [
    "agent",
    "agent-model-400",
    "cancellable",
    "child",
    "child-fails",
    "cron",
    "idempotent",
    "invoke-timeout",
    "invoker",
    "non-retriable",
    "on-cancel",
    "on-fail",
    "parallel-wait-then-run",
    "step-fails-caught",
    "step-retries",
    "wait-timeout",
  ];
  let pglite: PGlite;
  let clock: TestClock;
  let engine: LocalEngine;
  let app: ReplayApp;

  beforeAll(async () => {
    pglite = new PGlite();
    clock = createTestClock();
    engine = await createLocalEngine({ database: { pglite }, clock, modelFetch: answerAsRecorded });
    app = new ReplayApp({ id: "probe", functions: readRegisteredFunctions() }, transcripts, engine);
    await engine.registerApp({ handler: app.handler });
    await engine.start();
    return async () => {
      await engine.stop();
      await pglite.close();
    };
  });

  const advance = async (duration: string) => {
    await clock.advance(duration);
    await engine.idle();
  };

  test("match the recording for a wait, a step and a sleep in parallel", async () => {
    await sendRecorded(engine, "parallel-wait-then-run");
    await advance("1s");
    await post(engine, { name: "t/resolved", data: { approved: true, id: "p1" } });
    expectAsRecorded(app, "probe-parallel-wait-then-run", 1);
  });

  test("match the recording for a wait that times out", async () => {
    await sendRecorded(engine, "wait-timeout");
    await advance("2s");
    expectAsRecorded(app, "probe-wait-timeout", 1);
  });

  test("match the recording for a step that fails once", async () => {
    await sendRecorded(engine, "step-retries");
    await advance("30s");
    expectAsRecorded(app, "probe-step-retries", 1);
  });

  test("match the recording for a step that always fails and whose function catches its error", async () => {
    await sendRecorded(engine, "step-fails-caught");
    await advance("30s");
    expectAsRecorded(app, "probe-step-fails-caught", 1);
  });

  test("match the recording for an error that is not retried and fails the run", async () => {
    await sendRecorded(engine, "non-retriable");
    expectAsRecorded(app, "probe-non-retriable", 1);
    expectAsRecorded(app, "probe-on-fail", 1);
  });

  test("match the recording for an event with an id, which starts a function once", async () => {
    await sendRecorded(engine, "child");
    await sendRecorded(engine, "child");
    expectAsRecorded(app, "probe-child", 1);
  });

  test("match the recording for invokes of a function that succeeds and of one that fails", async () => {
    await sendRecorded(engine, "invoker");
    expectAsRecorded(app, "probe-invoker", 1);
    expectAsRecorded(app, "probe-child", 2);
    expectAsRecorded(app, "probe-child-fails", 1);
    expectAsRecorded(app, "probe-on-fail", 2);
  });

  test("match the recording for an invoke that times out and whose function goes on", async () => {
    await sendRecorded(engine, "invoke-timeout");
    await advance("1s");
    expectAsRecorded(app, "probe-invoke-timeout", 1);
    await advance("1s");
    expectAsRecorded(app, "probe-wait-timeout", 2);
  });

  test("match the recording for cancelOn", async () => {
    await sendRecorded(engine, "cancellable");
    await post(engine, { name: "t/cancel", data: { id: "another" } });
    expectAsRecorded(app, "probe-on-cancel", 0);
    await post(engine, { name: "t/cancel", data: { id: "c1" } });
    expectAsRecorded(app, "probe-cancellable", 1);
    expectAsRecorded(app, "probe-on-cancel", 1);
  });

  test("match the recording for an idempotency key, which starts a function once", async () => {
    await sendRecorded(engine, "idempotent");
    await sendRecorded(engine, "idempotent");
    expectAsRecorded(app, "probe-idempotent", 1);
  });

  test("match the recording for model calls and checkpointed steps", async () => {
    await sendRecorded(engine, "agent");
    expectAsRecorded(app, "probe-agent", 1);
  });

  test("match the recording for a model call that is refused", async () => {
    await sendRecorded(engine, "agent-model-400");
    await advance("30s");
    expectAsRecorded(app, "probe-agent-model-400", 1);
    expectAsRecorded(app, "probe-on-fail", 3);
  });

  test("match the recording for cron", async () => {
    // Earlier tests may have moved the clock over the full minute.
    const before = app.compare("probe-cron").length;
    await advance(`${60_000 - (clock.now() % 60_000)}ms`);
    expect(app.compare("probe-cron").length).toBe(before + 1);
    const [first] = app.compare("probe-cron");
    expect(first?.actual).toEqual(first?.expected);
  });
});

describe("requests to the second recorded app", () => {
  const PUBLISH = "5e2fb0c2c59448e1dec5df0f70ec85fcad1ca7b6";
  let pglite: PGlite;
  let clock: TestClock;
  let engine: LocalEngine;
  let app: ReplayApp;

  beforeAll(async () => {
    pglite = new PGlite();
    clock = createTestClock();
    engine = await createLocalEngine({ database: { pglite }, clock });
    const resolve = (data: Record<string, unknown>) =>
      engine.fetch(`${engine.baseUrl}/e/key`, {
        method: "POST",
        body: JSON.stringify({ name: "t/resolved", data: { approved: true, ...data } }),
      });
    let f2HasPublished = false;
    app = new ReplayApp(
      {
        id: "probe2",
        functions: [
          describeFunction("f1", "t/f1"),
          describeFunction("f2", "t/f2"),
          describeFunction("f3", "t/f3"),
          describeFunction("parent", "t/parent"),
          describeFunction("child", "t/child"),
          describeFunction("on-cancel", "inngest/function.cancelled"),
        ],
      },
      [
        "wait-and-announce-in-one-batch",
        "event-before-wait-is-lost",
        "if-on-trigger-event-never-matches",
        "cancelled-parent",
        "cancelled-parents-child",
        "on-cancel-of-parent",
      ],
      engine,
      async (functionId, stepId) => {
        if (functionId === "probe2-f1" && stepId === PUBLISH) await resolve({ id: "a1" });
        if (functionId === "probe2-f2" && !f2HasPublished) {
          f2HasPublished = true;
          await resolve({ id: "b1" });
        }
      },
    );
    await engine.registerApp({ handler: app.handler });
    await engine.start();
    return async () => {
      await engine.stop();
      await pglite.close();
    };
  });

  const advance = async (duration: string) => {
    await clock.advance(duration);
    await engine.idle();
  };

  test("match the recording for a step that sends the event of a parallel wait", async () => {
    await sendRecorded(engine, "wait-and-announce-in-one-batch");
    // The event ends the wait before the step that sent it has answered; the real server took a moment longer.
    const [run] = app.compare("probe2-f1");
    expect(sortStacks(run?.actual)).toEqual(sortStacks(run?.expected));
  });

  test("match the recording for an event that is lost because it comes before its wait", async () => {
    await sendRecorded(engine, "event-before-wait-is-lost");
    expect(app.compare("probe2-f2")[0]?.actual).toHaveLength(1);
    await advance("6s");
    expectAsRecorded(app, "probe2-f2", 1);
  });

  test("match the recording for an `if` whose `event` is the event that triggered the run", async () => {
    await sendRecorded(engine, "if-on-trigger-event-never-matches");
    await post(engine, { name: "t/resolved", data: { eventId: "c1", id: "c1" } });
    await advance("6s");
    expectAsRecorded(app, "probe2-f3", 1);
  });

  test("match the recording for a cancelled run whose invoked function goes on", async () => {
    await sendRecorded(engine, "cancelled-parent");
    const runId = app.runs.find((run) => run.functionId === "probe2-parent")?.actual[0]?.body.ctx.run_id;
    const response = await engine.fetch(`${engine.baseUrl}/v1/runs/${runId}`, { method: "DELETE" });
    expect(response.status).toBe(202);
    await engine.idle();
    expectAsRecorded(app, "probe2-on-cancel", 1);
    await advance("15s");
    expectAsRecorded(app, "probe2-parent", 1);
    await post(engine, { name: "t/child", data: { n: 1 }, id: "dup-1" });
    await advance("15s");
    expectAsRecorded(app, "probe2-child", 2);
  });
});

/** The model of the recording: a tool call, then an answer; the model "bad" is refused. */
const answerAsRecorded: typeof fetch = async (_url, init) => {
  const body = JSON.parse(String(init?.body)) as { model: string; messages: unknown[] };
  if (body.model === "bad") {
    return Response.json(
      { error: { message: "bad request", type: "invalid_request_error" } },
      { status: 400 },
    );
  }
  const last = runRequestBodySchema.parse(readTranscript("agent").at(-1)?.request.body);
  const ids = {
    tool: "c62973cc56845b0e473e9e3c40b6e1f0a84662ef",
    answer: "577d5dafdeeb9f305d4196e79b505e3dfe68b077",
  };
  const state = last.steps[body.messages.length === 2 ? ids.tool : ids.answer] as { data: unknown };
  return Response.json(state.data);
};

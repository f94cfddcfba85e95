import { PGlite } from "@electric-sql/pglite";
import { describe, expect, test } from "vitest";
import { createGate } from "../testing/gate.js";
import { createHarness, type Harness } from "../testing/sdk-harness.js";
import { emptyPglite } from "../testing/shared-pglite.js";

async function call(harness: Harness, method: string, path: string, body?: unknown) {
  const response = await harness.engine.fetch(`${harness.engine.baseUrl}${path}`, {
    method,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
}

describe("the API", () => {
  test("reports what is wrong with a body", async () => {
    await using harness = await createHarness(() => []);
    const error = async (path: string, body: unknown) => {
      const answer = await call(harness, "POST", path, body);
      expect(answer.status).toBe(400);
      return (answer.body as { error: string }).error;
    };
    expect(await error("/e/key", "{")).toBe("The body is not valid JSON");
    expect(await error("/e/key", [{ name: "fine" }, { name: "t", data: 1 }])).toMatch(/^1\.data: /);
    expect(await error("/e/key", { data: {} })).toMatch(/^name: /);
    expect(await error("/e/key", { name: "x".repeat(513) })).toMatch(/^name: must have at most 512/);
    expect(await error("/e/key", { name: "a\u0000" })).toMatch(/^name: must not contain NUL/);
    for (const name of ["inngest/function.cancelled", "Inngest/anything"]) {
      const reserved = "is reserved for internal use";
      expect(await error("/e/key", { name, data: {} })).toBe(`name: ${reserved}`);
      expect(await error("/e/key", [{ name: "fine" }, { name }])).toBe(`1.name: ${reserved}`);
    }
    expect(await error("/fn/register", { appName: "a", url: "http://a.invalid" })).toMatch(/^functions: /);
    expect(await error("/v1/checkpoint/x/async", { run_id: "x", qi_id: "y" })).toMatch(/^steps: /);
  });

  test("refuses a registration with an invalid expression or cron, and keeps the previous one", async () => {
    await using harness = await createHarness(() => [], { apps: { remote: "http://127.0.0.1:9" } });
    const register = (triggers: unknown[]) =>
      call(harness, "POST", "/fn/register", {
        appName: "remote",
        url: "http://127.0.0.1:9/api/inngest",
        functions: [{ id: "remote-f", triggers, steps: {} }],
      });
    expect((await register([{ event: "t/start" }])).status).toBe(200);
    expect(await register([{ event: "t/start", expression: "event.data ==" }])).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('Function "remote-f": Invalid expression') },
    });
    expect(await register([{ cron: "every day" }])).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('Invalid cron "every day"') },
    });
    const { body } = await call(harness, "GET", "/dev");
    expect(body).toEqual({ functions: [{ name: "remote-f", slug: "remote-f" }] });
    const { ids } = await harness.inngest.send({ name: "t/start" });
    expect(await harness.runsOf(ids[0] ?? "")).toMatchObject([{ function_id: "remote-f" }]);
  });

  test("answers 404 for unknown routes, runs and signals, and accepts publishing", async () => {
    await using harness = await createHarness(() => []);
    expect(await call(harness, "GET", "/v2/nothing")).toEqual({
      status: 404,
      body: { error: "The local engine has no route GET /v2/nothing", status: 404 },
    });
    expect((await call(harness, "GET", "/v1/runs/none")).status).toBe(404);
    expect((await call(harness, "DELETE", "/v1/runs/none")).status).toBe(404);
    expect((await call(harness, "POST", "/v1/signals", { signal: "s" })).status).toBe(404);
    expect((await call(harness, "POST", "/v1/realtime/publish?channel=c&topic=t", { a: 1 })).status).toBe(
      200,
    );
    expect(await call(harness, "GET", "/v1/events/none/runs")).toMatchObject({
      status: 200,
      body: { data: [] },
    });
  });

  test("answers 503 once an engine with its own database has stopped", async () => {
    const harness = await createHarness(() => [], { database: "memory" });
    await harness.engine.stop();
    expect((await call(harness, "POST", "/e/key", { name: "t" })).status).toBe(503);
  });

  test("answers while an engine stops what it was asked before, and uses the database no more", async () => {
    const pglite = await PGlite.create();
    const harness = await createHarness(() => [], { database: { pglite } });
    const asked = call(harness, "POST", "/e/key", { name: "t" });
    await harness.engine.stop();
    await pglite.close();
    expect((await asked).status).toBe(200);
    expect((await call(harness, "POST", "/e/key", { name: "t" })).status).toBe(503);
  });

  test("answers again once a stopped engine has started again", async () => {
    await using harness = await createHarness(() => [], { database: { pglite: await emptyPglite() } });
    await harness.engine.stop();
    expect((await call(harness, "POST", "/e/key", { name: "t" })).status).toBe(503);
    await harness.engine.start();
    expect((await call(harness, "POST", "/e/key", { name: "t" })).status).toBe(200);
  });
});

describe("a checkpoint", () => {
  test("is stale for another request, generation, item or run, and accepted if it is current", async () => {
    const entered = createGate<{ runId: string; requestId: string; jobId: string }>();
    const leave = createGate<void>();
    await using harness = await createHarness((inngest) => [
      inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async (ctx) => {
        const {
          runId,
          requestId = "",
          jobId = "",
        } = ctx as typeof ctx & { requestId?: string; jobId?: string };
        entered.resolve({ runId, requestId, jobId });
        await leave.promise;
        return "done";
      }),
    ]);
    await harness.inngest.send({ name: "t/start" });
    const { runId, requestId, jobId } = await entered.promise;
    const current = {
      run_id: runId,
      qi_id: Buffer.from(`${jobId}::default`).toString("base64"),
      request_id: requestId,
      generation_id: 1,
      steps: [{ op: "StepRun", id: "a".repeat(40), data: 1 }],
    };
    const checkpoint = async (change: Record<string, unknown>, path = runId) =>
      (await call(harness, "POST", `/v1/checkpoint/${path}/async`, { ...current, ...change })).status;
    expect(await checkpoint({ request_id: "01M7ZZH9G50NXJWQHH6YX0KVVH" })).toBe(409);
    expect(await checkpoint({ generation_id: 2 })).toBe(409);
    expect(await checkpoint({ qi_id: Buffer.from("other::default").toString("base64") })).toBe(409);
    expect(await checkpoint({ qi_id: "no base64 of ours" })).toBe(409);
    expect(await checkpoint({}, "01M7ZZH9G50NXJWQHH6YX0KVVH")).toBe(409);
    expect(await checkpoint({})).toBe(200);
    leave.resolve();
    await harness.engine.idle();
    expect(await checkpoint({})).toBe(409);
  });

  test("fails the run if it has an opcode that it cannot carry, and the error names the opcode", async () => {
    await using harness = await createHarness((inngest) => [
      inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async (ctx) => {
        const { jobId = "" } = ctx as typeof ctx & { jobId?: string };
        const answer = await call(harness, "POST", `/v1/checkpoint/${ctx.runId}/async`, {
          run_id: ctx.runId,
          qi_id: Buffer.from(`${jobId}::default`).toString("base64"),
          steps: [{ op: "DeferAdd", id: "a".repeat(40) }],
        });
        return answer.status;
      }),
    ]);
    const [run] = await harness.send("t/start");
    expect(run).toMatchObject({
      status: "Failed",
      output: { message: 'The local engine does not support the opcode "DeferAdd" in a checkpoint' },
    });
  });
});

import { expect, test } from "vitest";
import { createGate } from "../testing/gate.js";
import { createHarness } from "../testing/sdk-harness.js";
import { emptyPglite } from "../testing/shared-pglite.js";

test("cancelOn cancels a run until its own timeout, and sends an event about it", async () => {
  const cancelled: unknown[] = [];
  await using harness = await createHarness((inngest) => [
    inngest.createFunction(
      {
        id: "f",
        triggers: { event: "t/start" },
        cancelOn: [{ event: "t/cancel", if: "async.data.id == event.data.id", timeout: "1h" }],
      },
      async ({ step }) => {
        await step.sleep("nap", "2h");
        return "slept";
      },
    ),
    inngest.createFunction(
      { id: "on-cancel", triggers: { event: "inngest/function.cancelled" } },
      async ({ event }) => {
        cancelled.push(event.data.run_id);
      },
    ),
  ]);
  const [a] = await harness.send("t/start", { id: "a" });
  const [b] = await harness.send("t/start", { id: "b" });
  await harness.send("t/cancel", { id: "a" });
  expect(await harness.run(a?.run_id ?? "")).toMatchObject({ status: "Cancelled" });
  expect(cancelled).toEqual([a?.run_id]);
  await harness.clock.advance("1h");
  await harness.send("t/cancel", { id: "b" });
  await harness.clock.advance("1h");
  await harness.engine.idle();
  expect(await harness.run(b?.run_id ?? "")).toMatchObject({ status: "Completed", output: "slept" });
});

test.each([true, false])(
  "with checkpointing %s, a run that is cancelled during a step keeps no result and runs no further step",
  async (checkpointing) => {
    const pglite = await emptyPglite();
    const entered = createGate<string>();
    const leave = createGate<void>();
    const bodies: string[] = [];
    await using harness = await createHarness(
      (inngest) => [
        inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async ({ step, runId }) => {
          await step.run("first", async () => {
            entered.resolve(runId);
            await leave.promise;
          });
          await step.run("second", () => bodies.push("second"));
        }),
      ],
      { database: { pglite }, client: { checkpointing } },
    );
    await harness.inngest.send({ name: "t/start" });
    const runId = await entered.promise;
    const { engine } = harness;
    const response = await engine.fetch(`${engine.baseUrl}/v1/runs/${runId}`, { method: "DELETE" });
    expect(response.status).toBe(202);
    leave.resolve();
    await engine.idle();
    expect(bodies).toEqual([]);
    const kept = await pglite.query("select * from local_engine.step where status = 'done'");
    expect(kept.rows).toEqual([]);
    expect(await harness.run(runId)).toMatchObject({ status: "Cancelled" });
  },
);

test("a run that has ended cannot be cancelled any more", async () => {
  const cancelled: unknown[] = [];
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async () => "done"),
    inngest.createFunction(
      { id: "on-cancel", triggers: { event: "inngest/function.cancelled" } },
      async ({ event }) => {
        cancelled.push(event.data.run_id);
      },
    ),
  ]);
  const { engine } = harness;
  const [run] = await harness.send("t/start");
  await engine.fetch(`${engine.baseUrl}/v1/runs/${run?.run_id}`, { method: "DELETE" });
  await engine.idle();
  expect(await harness.run(run?.run_id ?? "")).toMatchObject({ status: "Completed", output: "done" });
  expect(cancelled).toEqual([]);
});

import { NonRetriableError, RetryAfterError } from "inngest";
import { expect, test } from "vitest";
import { createGate } from "../testing/gate.js";
import { createHarness } from "../testing/sdk-harness.js";

for (const checkpointing of [true, false]) {
  test(`a failing step is retried with growing delays, then its error can be caught (checkpointing: ${checkpointing})`, async () => {
    const attempts: number[] = [];
    await using harness = await createHarness(
      (inngest) => [
        inngest.createFunction(
          { id: "f", triggers: { event: "t/start" }, retries: 2 },
          async ({ step, attempt }) => {
            await step.run("before", () => "fine");
            try {
              await step.run("bad", () => {
                attempts.push(attempt);
                throw new Error(`failed ${attempts.length}`);
              });
            } catch (error) {
              return { caught: (error as Error).message };
            }
          },
        ),
      ],
      { client: { checkpointing } },
    );
    const [run] = await harness.send("t/start");
    expect(attempts).toEqual([0]);
    await harness.clock.advance("9s");
    await harness.engine.idle();
    expect(attempts).toEqual([0]);
    await harness.clock.advance("3s");
    await harness.engine.idle();
    expect(attempts).toEqual([0, 1]);
    await harness.clock.advance("29s");
    await harness.engine.idle();
    expect(attempts).toEqual([0, 1]);
    await harness.clock.advance("5s");
    await harness.engine.idle();
    expect(attempts).toEqual([0, 1, 2]);
    expect((await harness.run(run?.run_id ?? "")).output).toEqual({ caught: "failed 3" });
  });
}

test("NonRetriableError ends a step at once, and RetryAfterError sets the time of its next attempt", async () => {
  const bodies: string[] = [];
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async ({ step }) => {
      const first = await step
        .run("hopeless", () => {
          bodies.push("hopeless");
          throw new NonRetriableError("no use");
        })
        .catch((error: Error) => error.message);
      await step.run("later", () => {
        bodies.push("later");
        if (bodies.length < 3) throw new RetryAfterError("not yet", "20m");
      });
      return first;
    }),
  ]);
  const [run] = await harness.send("t/start");
  expect(bodies).toEqual(["hopeless", "later"]);
  await harness.clock.advance("19m");
  await harness.engine.idle();
  expect(bodies).toHaveLength(2);
  await harness.clock.advance("2m");
  await harness.engine.idle();
  expect(await harness.run(run?.run_id ?? "")).toMatchObject({ status: "Completed", output: "no use" });
});

test("a function that keeps failing ends as Failed and calls its onFailure", async () => {
  const failures: unknown[] = [];
  await using harness = await createHarness((inngest) => [
    inngest.createFunction(
      {
        id: "f",
        triggers: { event: "t/start" },
        retries: 1,
        onFailure: async ({ event, error }) => {
          failures.push({
            message: error.message,
            function: event.data.function_id,
            n: event.data.event.data.n,
          });
        },
      },
      async () => {
        throw Object.assign(new TypeError("always"), { code: "E_ALWAYS" });
      },
    ),
    inngest.createFunction({ id: "other", triggers: { event: "t/start" } }, async () => "fine"),
  ]);
  const runs = await harness.send("t/start", { n: 7 });
  const run = runs.find(({ function_id }) => function_id === "app-f");
  expect(run?.status).toBe("Running");
  await harness.clock.advance("15s");
  await harness.engine.idle();
  expect(await harness.run(run?.run_id ?? "")).toMatchObject({
    status: "Failed",
    output: { name: "TypeError", message: "always", code: "E_ALWAYS" },
  });
  expect(failures).toEqual([{ message: "always", function: "app-f", n: 7 }]);
});

test("a running step is not started again, however long it takes", async () => {
  const entered = createGate<void>();
  const leave = createGate<void>();
  let bodies = 0;
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async ({ step }) => {
      const slow = step.run("slow", async () => {
        bodies++;
        entered.resolve();
        await leave.promise;
      });
      await Promise.all([slow, step.run("beside it", () => "quick")]);
    }),
  ]);
  await harness.inngest.send({ name: "t/start" });
  await entered.promise;
  await harness.clock.advance("1d");
  await harness.clock.advance("1d");
  leave.resolve();
  await harness.engine.idle();
  expect(bodies).toBe(1);
});

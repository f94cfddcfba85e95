import { expect, test } from "vitest";
import { createHarness } from "../testing/sdk-harness.js";

test("an opcode that the engine does not know fails the run and is named", async () => {
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async ({ step }) => {
      await step.waitForSignal("approval", { signal: "s", timeout: "1h" });
    }),
  ]);
  const [run] = await harness.send("t/start");
  expect(run).toMatchObject({
    status: "Failed",
    output: {
      message: 'The local engine does not support the opcode "WaitForSignal" of step "approval"',
    },
  });
});

test("options without effect are named when the app registers", async () => {
  const warnings: string[] = [];
  const logger = { warn: (text: string) => warnings.push(text), error() {} };
  await using _ = await createHarness(
    (inngest) => [
      inngest.createFunction(
        { id: "f", triggers: { event: "t/start" }, concurrency: 1, debounce: { period: "1m" } },
        async () => 1,
      ),
    ],
    { logger },
  );
  expect(warnings).toEqual(['Function "app-f": the local engine does not apply concurrency, debounce']);
});

test("a run may have a thousand steps, and not one more", async () => {
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async ({ event, step }) => {
      const count = Number(event.data.count);
      await Promise.all(Array.from({ length: count }, (_, n) => step.sleep(`nap ${n}`, "1s")));
      return count;
    }),
  ]);
  const [enough] = await harness.send("t/start", { count: 1_000 });
  const [tooMany] = await harness.send("t/start", { count: 1_001 });
  expect(tooMany).toMatchObject({
    status: "Failed",
    output: { message: "The run has more than 1000 steps" },
  });
  await harness.clock.advance("1s");
  await harness.engine.idle();
  expect(await harness.run(enough?.run_id ?? "")).toMatchObject({ status: "Completed", output: 1_000 });
});

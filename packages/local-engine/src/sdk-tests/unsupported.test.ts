import { expect, test } from "vitest";
import { createHarness } from "../testing/sdk-harness.js";

test("an unknown opcode fails the run, and the error names it", async () => {
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

test("function options without effect cause a warning when the app registers", async () => {
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
  expect(warnings).toEqual(['Function "app-f": the local engine does not support concurrency, debounce']);
});

import { expect, test } from "vitest";
import { MISSING_SURROGATE } from "../protocol/unicode.js";
import { createHarness } from "../testing/sdk-harness.js";

const unpaired = "a\ud800b";
const repaired = "a\ufffdb";

test.each([
  ["a text", unpaired],
  ["a nested text", { rows: [{ name: unpaired }] }],
  ["a key", { [unpaired]: 1 }],
])("a step's output with an unpaired surrogate in %s fails its run as Inngest does", async (_what, value) => {
  let entered = 0;
  await using harness = await createHarness((inngest) => [
    inngest.createFunction(
      { id: "outputs", retries: 1, triggers: { event: "t/outputs" } },
      async ({ step }) => {
        entered++;
        await step.run("output", () => value);
        await step.sleep("pause", "1s");
        return "done";
      },
    ),
  ]);
  const [run] = await harness.send("t/outputs");
  await harness.clock.advance("1s");
  await harness.clock.advance("10m");
  await harness.engine.idle();
  expect(await harness.run(run?.run_id ?? "")).toMatchObject({
    status: "Failed",
    output: { message: MISSING_SURROGATE },
  });
  expect(entered).toBe(1);
});

test("escapes in the text of a step's output are no surrogates, and pairs and NUL are carried", async () => {
  const value = { text: "\\ud800 \\\\ud800", pair: "😀", nul: "\0" };
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "outputs", triggers: { event: "t/outputs" } }, async ({ step }) => {
      const output = await step.run("output", () => value);
      await step.sleep("pause", "1s");
      return output;
    }),
  ]);
  const [run] = await harness.send("t/outputs");
  await harness.clock.advance("1s");
  await harness.engine.idle();
  expect(await harness.run(run?.run_id ?? "")).toMatchObject({ status: "Completed", output: value });
});

test("unpaired surrogates in events, errors of steps and results of invoked runs become U+FFFD", async () => {
  const seen: unknown[] = [];
  await using harness = await createHarness((inngest) => {
    const child = inngest.createFunction({ id: "child", triggers: [] }, async ({ event }) => {
      seen.push((event.data as Record<string, unknown>).text);
      return unpaired;
    });
    const parent = inngest.createFunction(
      { id: "parent", retries: 0, triggers: { event: "t/parent" } },
      async ({ event, step }) => {
        const thrown = step.run("throws", () => {
          throw new Error(unpaired);
        });
        const message = await thrown.catch((error: unknown) => (error as Error).message);
        const result = await step.invoke("child", { function: child, data: { text: unpaired } });
        await step.sleep("pause", "1s");
        return { event: event.data.text, message, result };
      },
    );
    return [child, parent];
  });
  const [run] = await harness.send("t/parent", { text: unpaired });
  await harness.clock.advance("1s");
  await harness.engine.idle();
  expect(await harness.run(run?.run_id ?? "")).toMatchObject({
    status: "Completed",
    output: { event: repaired, message: repaired, result: repaired },
  });
  expect(seen).toEqual([repaired]);
});

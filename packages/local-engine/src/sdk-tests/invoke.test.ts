import { NonRetriableError, referenceFunction } from "inngest";
import { expect, test } from "vitest";
import { createHarness } from "../testing/sdk-harness.js";

test("an invoked function's result or error reaches the caller", async () => {
  await using harness = await createHarness((inngest) => {
    const ok = inngest.createFunction({ id: "ok", triggers: [] }, async ({ event, step }) => {
      return step.run("work", () => ({ doubled: Number((event.data as { n?: number }).n) * 2 }));
    });
    const broken = inngest.createFunction({ id: "broken", triggers: [] }, async () => {
      throw new NonRetriableError("broken for good");
    });
    const parent = inngest.createFunction(
      { id: "parent", triggers: { event: "t/start" } },
      async ({ step }) => {
        const result = await step.invoke("ok", { function: ok, data: { n: 4 } });
        const error = await step
          .invoke("broken", { function: broken, data: {} })
          .catch(({ name, message }: Error) => ({ name, message }));
        const unknown = await step
          .invoke("unknown", { function: referenceFunction({ functionId: "nowhere" }), data: {} })
          .catch(({ name, message }: Error) => ({ name, message }));
        return { result, error, unknown };
      },
    );
    return [ok, broken, parent];
  });
  const [run] = await harness.send("t/start");
  expect(run?.output).toEqual({
    result: { doubled: 8 },
    error: { name: "NonRetriableError", message: "broken for good" },
    unknown: {
      name: "FunctionNotFoundError",
      message: 'Could not find the function "app-nowhere" to invoke; check that its app is registered',
    },
  });
});

test("an invoke ends at its timeout, and the invoked run goes on", async () => {
  let finished = 0;
  await using harness = await createHarness((inngest) => {
    const slow = inngest.createFunction({ id: "slow", triggers: [] }, async ({ step }) => {
      await step.sleep("nap", "1h");
      finished++;
    });
    const parent = inngest.createFunction(
      { id: "parent", triggers: { event: "t/start" } },
      async ({ step }) =>
        step
          .invoke("slow", { function: slow, data: {}, timeout: "5m" })
          .catch(({ name }: Error) => ({ name })),
    );
    return [slow, parent];
  });
  const [run] = await harness.send("t/start");
  await harness.clock.advance("5m");
  await harness.engine.idle();
  expect((await harness.run(run?.run_id ?? "")).output).toEqual({ name: "InngestInvokeTimeoutError" });
  expect(finished).toBe(0);
  await harness.clock.advance("55m");
  await harness.engine.idle();
  expect(finished).toBe(1);
});

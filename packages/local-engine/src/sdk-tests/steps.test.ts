import { expect, test } from "vitest";
import { createHarness } from "../testing/sdk-harness.js";
import { emptyPglite } from "../testing/shared-pglite.js";

for (const checkpointing of [true, false]) {
  test(`a function's steps run once each and its result is kept (checkpointing: ${checkpointing})`, async () => {
    const bodies: string[] = [];
    await using harness = await createHarness(
      (inngest) => [
        inngest.createFunction({ id: "steps", triggers: { event: "t/steps" } }, async ({ event, step }) => {
          const a = await step.run("a", () => {
            bodies.push("a");
            return event.data.n as number;
          });
          await step.sleep("nap", "10m");
          const b = await step.run("b", () => {
            bodies.push("b");
            return a + 1;
          });
          return { a, b };
        }),
      ],
      { client: { checkpointing } },
    );
    const [started] = await harness.send("t/steps", { n: 1 });
    expect(started).toMatchObject({ status: "Running", function_id: "app-steps" });
    await harness.clock.advance("10m");
    await harness.engine.idle();
    expect(await harness.run(started?.run_id ?? "")).toMatchObject({
      status: "Completed",
      output: { a: 1, b: 2 },
    });
    expect(bodies).toEqual(["a", "b"]);
  });
}

test("waits, invokes and parallel steps work together", async () => {
  await using harness = await createHarness((inngest) => {
    const child = inngest.createFunction(
      { id: "child", triggers: { event: "t/child" } },
      async ({ event }) => event.data.n * 2,
    );
    const parent = inngest.createFunction(
      { id: "parent", triggers: { event: "t/parent" } },
      async ({ step, event }) => {
        const [resolved, announced] = await Promise.all([
          step.waitForEvent("wait", {
            event: "t/resolved",
            timeout: "1h",
            if: `async.data.id == "${event.data.id}"`,
          }),
          step.run("announce", async () => {
            await inngest.send({ name: "t/resolved", data: { id: event.data.id } });
            return "announced";
          }),
        ]);
        const doubled = await step.invoke("double", { function: child, data: { n: 21 } });
        return { resolved: resolved?.data, announced, doubled };
      },
    );
    return [child, parent];
  });
  for (let i = 0; i < 10; i++) {
    const [run] = await harness.send("t/parent", { id: `p${i}` });
    expect(run?.output).toEqual({ resolved: { id: `p${i}` }, announced: "announced", doubled: 42 });
  }
});

test("a waiting run leaves no queue items, and an ended run no waits or outstanding steps", async () => {
  const pglite = await emptyPglite();
  await using harness = await createHarness(
    (inngest) => [
      inngest.createFunction(
        { id: "f", triggers: { event: "t/start" }, cancelOn: [{ event: "t/cancel" }] },
        async ({ step }) => {
          await Promise.all([step.run("a", () => 1), step.sleep("nap", "1h")]);
        },
      ),
    ],
    { database: { pglite } },
  );
  const count = async (from: string) =>
    (await pglite.query(`select * from local_engine.${from}`)).rows.length;
  await harness.send("t/start");
  expect(await count("queue_item")).toBe(0);
  expect(await count("wait")).toBe(2);
  await harness.clock.advance("1h");
  await harness.engine.idle();
  expect(await count("queue_item")).toBe(0);
  expect(await count("wait")).toBe(0);
  expect(await count("step where status = 'pending'")).toBe(0);
});

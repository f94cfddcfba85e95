import { expect, test } from "vitest";
import { createHarness } from "../testing/sdk-harness.js";

test("an event sent before the wait is registered is lost, and the wait returns null at its timeout", async () => {
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async ({ step }) => {
      await step.sendEvent("publish", { name: "t/resolved", data: {} });
      return { got: await step.waitForEvent("wait", { event: "t/resolved", timeout: 30 * 60 * 1000 }) };
    }),
  ]);
  const [run] = await harness.send("t/start");
  await harness.clock.advance("29m59s");
  await harness.engine.idle();
  expect(await harness.run(run?.run_id ?? "")).toMatchObject({ status: "Running" });
  await harness.clock.advance("1s");
  await harness.engine.idle();
  expect(await harness.run(run?.run_id ?? "")).toMatchObject({ status: "Completed", output: { got: null } });
});

test("`if` sees the trigger as `event` and the awaited event as `async`; a missing field does not match", async () => {
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async ({ step }) => {
      const event = await step.waitForEvent("wait", {
        event: "t/resolved",
        timeout: "1h",
        if: "async.data.nested.id == event.data.id && async.data.count > 1",
      });
      return event?.data.nested;
    }),
  ]);
  const [a] = await harness.send("t/start", { id: "a" });
  const [b] = await harness.send("t/start", { id: "b" });
  await harness.send("t/resolved", { id: "b" });
  await harness.send("t/resolved", { nested: { id: "b" }, count: 1 });
  expect(await harness.run(b?.run_id ?? "")).toMatchObject({ status: "Running" });
  await harness.send("t/resolved", { nested: { id: "b" }, count: 2 });
  expect(await harness.run(a?.run_id ?? "")).toMatchObject({ status: "Running" });
  expect(await harness.run(b?.run_id ?? "")).toMatchObject({ status: "Completed", output: { id: "b" } });
});

test("a wait whose expression demands a text ends only by an event that matches the expression", async () => {
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async ({ event, step }) => {
      return (await step.waitForEvent("wait", { event: "t/go", timeout: "1h", if: event.data.condition }))
        ?.data;
    }),
  ]);
  const long = "x".repeat(300);
  const waiting = new Map<string, string>();
  const begin = async (condition: string) => {
    const [run] = await harness.send("t/start", { condition });
    waiting.set(condition, run?.run_id ?? "");
  };
  const ended = async () => {
    const all = [...waiting].map(async ([condition, id]) => ({ condition, ...(await harness.run(id)) }));
    return (await Promise.all(all))
      .filter(({ status }) => status === "Completed")
      .map((run) => run.condition);
  };
  const conditions = [
    'async.data.id == "a"',
    'async.data.n > 1 && "b" == async.data.order.id',
    `async.data.id == "${long}"`,
    'async.data.id == "a" || async.data.id == "c"',
  ];
  for (const condition of conditions) await begin(condition);
  await harness.send("t/go", { id: "z", other: "a", order: { id: "b" }, n: 1 });
  expect(await ended()).toEqual([]);
  await harness.send("t/go", { id: "c" });
  expect(await ended()).toEqual(conditions.slice(3));
  await harness.send("t/go", { id: "a", notes: Array.from({ length: 300 }, (_, n) => `note ${n}`) });
  expect(await ended()).toEqual([conditions[0], conditions[3]]);
  await harness.send("t/go", { order: { id: "b" }, n: 2 });
  await harness.send("t/go", { id: long });
  // Texts with NUL are not in the index.
  await harness.send("t/go", { id: "\u0000" });
  expect(await ended()).toEqual(conditions);
});

test("an expression that is not CEL fails the run, and the error quotes it", async () => {
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async ({ step }) => {
      await step.waitForEvent("wait", { event: "t/resolved", timeout: "1h", if: "async.data.id ==" });
    }),
  ]);
  const [run] = await harness.send("t/start");
  expect(run).toMatchObject({
    status: "Failed",
    output: { message: expect.stringContaining('Invalid expression "async.data.id =="') },
  });
});

test("one event ends the waits of many runs", async () => {
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async ({ step }) => {
      await step.waitForEvent("wait", { event: "t/resolved", timeout: "1h" });
      return "resumed";
    }),
  ]);
  const { ids } = await harness.inngest.send(
    Array.from({ length: 100 }, (_, n) => ({ name: "t/start", data: { n } })),
  );
  await harness.engine.idle();
  await harness.send("t/resolved");
  const runs = (await Promise.all(ids.map((id) => harness.runsOf(id)))).flat();
  expect(runs).toHaveLength(100);
  expect(new Set(runs.map(({ output }) => output))).toEqual(new Set(["resumed"]));
});

test("an outstanding wait holds a parallel group until its own timeout", async () => {
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async ({ step }) => {
      const winner = await Promise.race([
        step.waitForEvent("a", { event: "t/a", timeout: "1h" }).then(() => "a"),
        step.waitForEvent("b", { event: "t/b", timeout: "1h" }).then(() => "b"),
      ]);
      return winner;
    }),
  ]);
  const [run] = await harness.send("t/start");
  await harness.send("t/b");
  expect(await harness.run(run?.run_id ?? "")).toMatchObject({ status: "Running" });
  await harness.clock.advance("1h");
  await harness.engine.idle();
  expect(await harness.run(run?.run_id ?? "")).toMatchObject({ status: "Completed", output: "b" });
});

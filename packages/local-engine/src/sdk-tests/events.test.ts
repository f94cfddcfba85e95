import { expect, test } from "vitest";
import { createHarness } from "../testing/sdk-harness.js";

test("the end of a run sends an event that can trigger functions", async () => {
  const received: Array<{ name: string; data: Record<string, unknown> }> = [];
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "ok", triggers: { event: "t/ok" } }, async () => ({ fine: true })),
    inngest.createFunction({ id: "bad", triggers: { event: "t/bad" }, retries: 0 }, async () => {
      throw new Error("bad");
    }),
    inngest.createFunction(
      {
        id: "ends",
        triggers: [
          { event: "inngest/function.finished", if: "event.data.function_id != 'app-ends'" },
          { event: "inngest/function.failed" },
        ],
      },
      async ({ event }) => {
        received.push({ name: event.name, data: event.data as Record<string, unknown> });
      },
    ),
  ]);
  const [ok] = await harness.send("t/ok");
  expect(received).toEqual([
    {
      name: "inngest/function.finished",
      data: expect.objectContaining({ run_id: ok?.run_id, function_id: "app-ok", result: { fine: true } }),
    },
  ]);
  const [bad] = await harness.send("t/bad");
  expect(
    received
      .slice(1)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["inngest/function.failed", "inngest/function.finished"]);
  expect(received[1]?.data).toMatchObject({ run_id: bad?.run_id, error: { message: "bad" } });
});

test("the same event id or the same idempotency key starts a function once in 24 hours", async () => {
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "plain", triggers: { event: "t/plain" } }, async () => 1),
    inngest.createFunction(
      { id: "keyed", triggers: { event: "t/keyed" }, idempotency: "event.data.key" },
      async () => 1,
    ),
  ]);
  expect(await harness.send("t/plain", {}, "same")).toHaveLength(1);
  const before = await harness.runsOf("same");
  await harness.send("t/plain", {}, "same");
  expect(await harness.runsOf("same")).toHaveLength(before.length);
  expect(await harness.send("t/keyed", { key: "k" })).toHaveLength(1);
  expect(await harness.send("t/keyed", { key: "k" })).toHaveLength(0);
  expect(await harness.send("t/keyed", { key: "l" })).toHaveLength(1);
  await harness.clock.advance("25h");
  expect(await harness.send("t/keyed", { key: "k" })).toHaveLength(1);
});

test("a batch that is sent again with its seed gets the same ids and starts nothing again", async () => {
  let started = 0;
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async () => {
      started++;
    }),
  ]);
  const send = async () => {
    const response = await harness.engine.fetch(`${harness.engine.baseUrl}/e/key`, {
      method: "POST",
      headers: { "x-inngest-event-id-seed": "1795296484112,XrxtJ+AbYd1YVg==" },
      body: JSON.stringify([{ name: "t/start", data: { n: 1 } }, { name: "t/start" }]),
    });
    return ((await response.json()) as { ids: string[] }).ids;
  };
  const ids = await send();
  // The id that the real server gave for this seed.
  expect(ids[0]).toBe("01M8004PRGBTY6T9Z03DGXTP2Q");
  expect(await send()).toEqual(ids);
  await harness.engine.idle();
  expect(started).toBe(2);
});

test("a cron function runs at each full minute, with the same event as on the real server", async () => {
  const events: unknown[] = [];
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "cron", triggers: { cron: "* * * * *" } }, async ({ event }) => {
      events.push(event.data);
    }),
  ]);
  for (const started of [1, 2, 3]) {
    await harness.clock.advance("1m");
    await harness.engine.idle();
    expect(events).toHaveLength(started);
  }
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/);
  expect(events[0]).toEqual({ cron: "* * * * *", fireAt: at, scheduledAt: at });
});

test("a trigger may have an expression, or match all events that begin with a prefix", async () => {
  await using harness = await createHarness((inngest) => [
    inngest.createFunction(
      { id: "if", triggers: { event: "t/order", if: "event.data.amount > 100" } },
      async () => 1,
    ),
    inngest.createFunction({ id: "any", triggers: { event: "t/other.*" } }, async () => 1),
  ]);
  expect(await harness.send("t/order", { amount: 100 })).toHaveLength(0);
  expect(await harness.send("t/order", { amount: 101.5 })).toHaveLength(1);
  expect(await harness.send("t/order", {})).toHaveLength(0);
  expect(await harness.send("t/other.thing")).toHaveLength(1);
});

test("data with NUL, odd keys and large inputs arrives unchanged", async () => {
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async ({ event, step }) => {
      const echoed = await step.run("echo", () => ({ ...event.data, bigger: "y".repeat(2_000_000) }));
      await step.sleep("nap", "1s");
      return echoed;
    }),
  ]);
  const data = { nul: "a\u0000b", big: "x".repeat(500_000), z: 1, a: [1, null, { "\ud83d\ude00": "odd" }] };
  const [run] = await harness.send("t/start", data);
  await harness.clock.advance("1s");
  await harness.engine.idle();
  const { output } = await harness.run(run?.run_id ?? "");
  expect(output).toEqual({ ...data, bigger: "y".repeat(2_000_000) });
});

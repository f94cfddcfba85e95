import { expect, test } from "vitest";
import { createHarness } from "../testing/sdk-harness.js";

/** Not in the order in which the keys sort, at any depth. */
const given = { b: 2, list: [{ z: 1, y: 2 }], a: { d: 4, c: 3 } };
const sorted = '{"a":{"c":3,"d":4},"b":2,"list":[{"y":2,"z":1}]}';
const written = JSON.stringify(given);

/** The orders in which each execution of a function saw the keys of what it got. */
async function ordersSeen(checkpointing: boolean): Promise<Record<string, string>[]> {
  const seen: Record<string, string>[] = [];
  await using harness = await createHarness(
    (inngest) => {
      const child = inngest.createFunction({ id: "child", triggers: [] }, async () => given);
      const parent = inngest.createFunction(
        { id: "parent", triggers: { event: "t/parent" } },
        async ({ event, step }) => {
          const orders: Record<string, string> = { event: JSON.stringify(event.data) };
          seen.push(orders);
          orders.step = JSON.stringify(await step.run("step", () => given));
          const invoked = await step.invoke("invoke", { function: child, data: {} });
          orders.invoke = JSON.stringify(invoked);
          const awaited = await step.waitForEvent("wait", { event: "t/awaited", timeout: "1h" });
          orders.wait = JSON.stringify(awaited?.data);
        },
      );
      return [child, parent];
    },
    { client: { checkpointing } },
  );
  await harness.send("t/parent", given);
  await harness.send("t/awaited", given);
  return seen;
}

test("an app gets events, steps' outputs, results of invoked runs and awaited events with sorted keys", async () => {
  const seen = await ordersSeen(false);
  expect(seen.at(-1)).toEqual({ event: sorted, step: sorted, invoke: sorted, wait: sorted });
  // The request that runs a step ends with it.
  expect(seen.every(({ step = sorted }) => step === sorted)).toBe(true);
});

test("with checkpointing, the request that runs a step goes on with the keys as they were written", async () => {
  const seen = await ordersSeen(true);
  expect(seen[0]).toEqual({ event: sorted, step: written });
  expect(seen.at(-1)).toEqual({ event: sorted, step: sorted, invoke: sorted, wait: sorted });
});

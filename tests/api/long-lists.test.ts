import { expect, it } from "vitest";
import { openApiWorld } from "../support/api-world.js";
import { proposeCall } from "../support/proposals.js";

const long = { id: "A-1", note: "x".repeat(100_000) };

it("a list of calls with long arguments shows the first ones whole, and leaves out the values of the others", async () => {
  await using world = await openApiWorld();
  const calls = await proposeCall(world.store, { calls: 5, input: long });
  const short = await proposeCall(world.store, { input: { id: "A-2" } });
  const lists = ["/approvals?status=pending", `/requests/${calls[0]?.requestId}`];
  for (const path of lists) {
    const response = await world.request("finance", path);
    const text = await response.text();
    const { items } = JSON.parse(text) as { items: { id: string; input: unknown; valuesOmitted: boolean }[] };
    const ofLong = items.filter(({ id }) => calls.some((call) => call.id === id));
    expect(ofLong.map(({ valuesOmitted }) => valuesOmitted)).toEqual([false, false, false, true, true]);
    expect(ofLong.map(({ input }) => input)).toEqual([long, long, long, null, null]);
    expect(text.length).toBeLessThan(400_000);
    // A short one still fits after a long one was left out.
    for (const item of items.filter(({ id }) => id === short[0]?.id))
      expect(item.input).toEqual({ id: "A-2" });
  }
  const last = await world.request("finance", `/approvals/${calls[4]?.id}`);
  expect(await last.json()).toMatchObject({ input: long, valuesOmitted: false });
});

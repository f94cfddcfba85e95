import { Inngest } from "inngest";
import { expect, it } from "vitest";
import { sendAtDatabaseTime } from "./send-at.js";

/** The time of an event that this process sends, whose clock is this far ahead of the database's. */
async function sentWith(aheadMs: number): Promise<number> {
  const sent: { ts: number }[] = [];
  const inngest = new Inngest({
    id: "app",
    isDev: true,
    fetch: async (_input, init) => {
      sent.push(...(JSON.parse(String(init?.body)) as { ts: number }[]));
      return Response.json({ ids: ["one"], status: 200 });
    },
  });
  const now = Date.now();
  await sendAtDatabaseTime(inngest, { now: async () => new Date(now - aheadMs) }, [
    { name: "a/b", data: {} },
  ]);
  return (sent[0]?.ts ?? Number.NaN) - now;
}

it("events have the database's time if this process's clock is fast", async () => {
  expect(await sentWith(600_000)).toBe(-600_000);
});

it("events have this process's time if the database's clock is fast, so that no function starts late", async () => {
  const late = await sentWith(-600_000);
  expect(late).toBeGreaterThanOrEqual(0);
  expect(late).toBeLessThan(600_000);
});

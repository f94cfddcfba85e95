import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshPostgres } from "../../support/databases.js";
import { demoInstallation } from "../../support/demo/demo-process.js";
import { effectsOf } from "../../support/demo/killed-at.js";
import { eventually } from "../../support/harness.js";

/** Refunds run by themselves up to 100 a day; above that, finance decides. Bookings can be taken back. */
const policy = {
  version: 1,
  default: "allow",
  rules: [
    {
      tools: "issue_refund",
      verdict: "ask",
      when: 'spent("issue_refund", "amount", "24h", "tenant") > 100',
      approvers: { roles: ["finance"] },
    },
    { tools: "book_carrier", verdict: "notify", reversible: "10m", approvers: { roles: ["finance"] } },
    { tools: "book_carrier.undo", verdict: "ask", approvers: { roles: ["finance"] } },
  ],
};

const folder = mkdtempSync(join(tmpdir(), "countersign-limits-"));
let database: Awaited<ReturnType<typeof freshPostgres>>;
let demo: Awaited<ReturnType<typeof demoInstallation>>;
let orders = 1000;

/** An order of which no other test makes use. */
const newOrder = () => `A-${++orders}`;

beforeAll(async () => {
  const file = join(folder, "policy.json");
  writeFileSync(file, JSON.stringify(policy));
  database = await freshPostgres(1);
  demo = await demoInstallation({ DATABASE_URL: database.url, POLICY_FILE: file });
  await demo.start();
});
afterAll(async () => {
  await demo?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const approvalsOf = async (threadId: string) =>
  (await demo.call("finance", `/approvals?threadId=${threadId}`)).body.items ?? [];

/** Where the process dies while it undoes a call, and how the undo then ends. */
const undos = [
  { point: "after-decision", ends: { status: "executed", effects: 1 }, isStartLost: true },
  { point: "after-claim", ends: { status: "interrupted", effects: 0 } },
  { point: "after-handler", ends: { status: "interrupted", effects: 1 } },
  { point: "after-record", ends: { status: "executed", effects: 1 } },
];

describe("an undo", () => {
  it.each(undos)("killed at $point ends as $ends.status (effects: $ends.effects)", async (crash) => {
    const { threadId } = await demo.say(`Ask which carrier to use for ${newOrder()}`);
    const { id, digest } = await demo.pending(threadId);
    const response = { action: "accept", content: { choice: "UPS" } };
    await demo.call("finance", `/approvals/${id}/decision`, { type: "respond", digest, response });
    await demo.threadDone(threadId);
    const booking = (await approvalsOf(threadId)).find(({ toolName }) => toolName === "book_carrier");
    expect(booking).toMatchObject({ status: "executed" });

    await demo.dieAt(crash.point);
    const ask = () => demo.call("finance", `/approvals/${booking?.id}/undo`, { digest: booking?.digest });
    // The process may die during this request, so the connection may break.
    await ask().catch(() => undefined);
    await demo.crashed();
    if (crash.isStartLost) {
      // Nobody has sent the event that starts the undo. The relay does once it is late, when the next minute begins.
      await database.admin`
        update countersign.approvals set created_at = created_at - interval '1 minute'
        where tool_name = 'book_carrier.undo'`;
    }
    await (crash.isStartLost ? demo.startBeforeMinute() : demo.start());
    const undo = await ended(booking?.id);
    const { status, effects } = crash.ends;
    expect(undo).toMatchObject({ status, is_done: status === "executed" });
    expect(await effectsOf(demo, undo.id)).toHaveLength(effects);
    // Asking again undoes nothing twice: it is done, or in doubt.
    expect(await ask()).toMatchObject({ status: 409, body: { code: "not_undoable" } });
  });

  /** The undo of a call once it has ended, and whether the call is marked as undone. */
  const ended = (bookingId = "") =>
    eventually(
      async () => {
        const rows = await database.admin`
          select undo.id, undo.status, booking.undone_at is not null as is_done
          from countersign.approvals undo
          join countersign.approvals booking on booking.id = undo.terms -> 'undoes' ->> 'approvalId'
          where booking.id = ${bookingId}`;
        const isOver = rows.length === 1 && ["executed", "interrupted"].includes(rows[0]?.status);
        return isOver ? rows[0] : undefined;
      },
      "the undo has ended",
      150_000,
    );
});

/** Where the process dies during a refund of 60 that nobody is asked about, and how its call then ends. */
const refunds = [
  // The agent's first response only looks the order up.
  { point: "after-propose", time: 2, ends: { status: "executed", effects: 1 } },
  { point: "before-notified-event", ends: { status: "executed", effects: 1 } },
  { point: "after-claim", ends: { status: "interrupted", effects: 0 } },
  { point: "after-record", ends: { status: "executed", effects: 1 } },
];

describe("a call that counts", () => {
  const refund = async (amount: number) => {
    const { threadId } = await demo.say(`Please refund ${amount} EUR for order ${newOrder()}`);
    return threadId;
  };

  it.each(refunds)(
    "killed at $point counts once, and ends as $ends.status",
    async ({ point, time, ends }) => {
      await database.admin`delete from countersign.counted_calls`;
      await demo.dieAt(point, time);
      const first = await refund(60);
      await demo.crashed();
      await demo.start();
      await demo.threadDone(first);
      const [call, ...others] = await approvalsOf(first);
      expect(others).toEqual([]);
      expect(call).toMatchObject({ toolName: "issue_refund", status: ends.status });
      expect(await effectsOf(demo, call?.id)).toHaveLength(ends.effects);
      const counted = await database.admin`select amount::float8 as amount from countersign.counted_calls`;
      expect([...counted]).toEqual([{ amount: 60 }]);
      // In doubt it ran: what is left of the limit is the same however the call has ended.
      const second = await refund(40);
      await demo.threadDone(second);
      expect(await approvalsOf(second)).toMatchObject([{ status: "executed", verdict: "notify" }]);
      const third = await refund(1);
      expect(await demo.pending(third)).toMatchObject({ toolName: "issue_refund", verdict: "ask" });
    },
  );
});

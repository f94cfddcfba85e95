import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { demoInstallation } from "../support/demo/demo-process.js";

/** Refunds run by themselves up to 100 a day; above that, finance decides. */
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
  ],
};

/** Where the process dies during a refund of 60 that nobody is asked about, and how its call then ends. */
const crashes = [
  // The agent's first response only looks the order up.
  { point: "before-propose", time: 2, ends: { status: "executed", effects: 1 } },
  { point: "after-propose", time: 2, ends: { status: "executed", effects: 1 } },
  { point: "before-notified-event", ends: { status: "executed", effects: 1 } },
  { point: "before-claim", ends: { status: "executed", effects: 1 } },
  { point: "after-claim", ends: { status: "interrupted", effects: 0 } },
  { point: "after-handler", ends: { status: "interrupted", effects: 1 } },
  { point: "after-record", ends: { status: "executed", effects: 1 } },
];

async function install() {
  const database = await freshPostgres(1);
  const folder = mkdtempSync(join(tmpdir(), "countersign-limits-"));
  const file = join(folder, "policy.json");
  writeFileSync(file, JSON.stringify(policy));
  const demo = await demoInstallation({ DATABASE_URL: database.url, POLICY_FILE: file });
  return {
    ...{ database, demo },
    async [Symbol.asyncDispose]() {
      await demo[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

describe("a process killed", () => {
  it.each(crashes)(
    "at $point counts a call once, which ends as $ends.status",
    async ({ point, time, ends }) => {
      await using world = await install();
      const { demo, database } = world;
      const refund = async (amount: number, orderId: string) => {
        const { threadId } = await demo.say(`Please refund ${amount} EUR for order ${orderId}`);
        return threadId;
      };
      const approvalsOf = async (threadId: string) =>
        (await demo.call("finance", `/approvals?threadId=${threadId}`)).body.items ?? [];
      await demo.start(point, time);
      const first = await refund(60, "A-1001");
      await demo.crashed();
      await demo.start();
      await demo.threadDone(first);
      expect(await approvalsOf(first)).toMatchObject([{ toolName: "issue_refund", status: ends.status }]);
      expect(await demo.effects()).toHaveLength(ends.effects);
      expect([
        ...(await database.admin`select amount::float8 as amount from countersign.counted_calls`),
      ]).toEqual([{ amount: 60 }]);
      // In doubt it ran: what is left of the limit is the same however the call has ended.
      const second = await refund(40, "A-1002");
      await demo.threadDone(second);
      expect(await approvalsOf(second)).toMatchObject([{ status: "executed", verdict: "notify" }]);
      await refund(1, "A-1003");
      expect(await demo.pending()).toMatchObject({ toolName: "issue_refund", verdict: "ask" });
    },
  );
});

import { ask, definePolicy } from "countersign";
import { expect, it } from "vitest";
import { openWaitingRefund } from "../support/waiting-refund.js";

const minute = 60_000;
const policy = definePolicy({
  tools: {
    refund: ask({
      approvers: { roles: ["finance", "lead"] },
      decisions: ["approve", "edit", "deny"],
      editable: ["amount"],
    }),
  },
});

const openWith = (threadRules: unknown[], timeout = "30m") =>
  openWaitingRefund({
    policy,
    countersign: { timeout, context: () => ({ requester: { id: "requester" }, threadRules }) },
  });

it("a thread's rules apply to an edit as they apply to a proposal", async () => {
  const rule = {
    tools: "refund",
    verdict: "ask",
    when: "input.amount > 1000",
    approvers: { roles: ["lead"] },
  };
  await using world = await openWith([rule]);
  const { harness, approval, runId, effects } = world;
  const edit = (token: string, amount: number) =>
    harness.call(token, `/approvals/${approval.id}/decision`, {
      method: "POST",
      body: { type: "edit", digest: approval.digest, input: { id: "A-1", amount } },
    });
  expect(await edit("finance", 90_000)).toMatchObject({ status: 403, body: { code: "edit_not_allowed" } });
  expect(await harness.approval(approval.id)).toMatchObject({ status: "pending" });
  expect((await edit("lead", 90_000)).status).toBe(200);
  await harness.ended(runId);
  expect(effects).toEqual([{ tool: "refund", input: { id: "A-1", amount: 90_000 } }]);
});

it.each([
  ["shortens", "10m", 10],
  ["does not lengthen", "365 days", 30],
])("a thread's rule %s the time to decide", async (_what, timeout, minutes) => {
  await using world = await openWith([{ tools: "*", verdict: "ask", timeout }]);
  const { announcedAt, expiresAt } = (await world.harness.store.getApproval("acme", world.approval.id)) ?? {};
  expect(Number(expiresAt) - Number(announcedAt)).toBe(minutes * minute);
});

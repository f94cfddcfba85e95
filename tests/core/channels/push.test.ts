import { describe, expect, it } from "vitest";
import { finance, lead, openPushDesk } from "../../channels/push/push-desk.js";

const minute = 60_000;

describe("a push message", () => {
  it("is encrypted, and tells what the call does until when, without its arguments", async () => {
    await using desk = await openPushDesk();
    const browser = await desk.browserOf(finance);
    const call = await desk.propose({
      ...{ summary: "Refund A-1", risk: "high", timeoutMs: 30 * minute },
      input: { order: "A-1", iban: "a-secret-value" },
    });
    await desk.sendAll();
    expect(desk.service.refused).toEqual([]);
    expect(browser.messages()).toEqual([
      {
        approvalId: call.id,
        title: "Refund A-1",
        risk: "high",
        expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
    const [accepted] = browser.accepted;
    expect(accepted?.ttl).toBeGreaterThan(29 * 60);
    expect(accepted?.ttl).toBeLessThanOrEqual(30 * 60);
    expect(accepted?.urgency).toBe("high");
    expect(accepted?.topic).toMatch(/^[\w-]{32}$/);
    expect(accepted?.topic).not.toContain(call.id);
  });

  it("fits into 4,096 bytes, however long the sentence is", async () => {
    await using desk = await openPushDesk();
    const browser = await desk.browserOf(finance);
    for (const character of ["x", '"', "€", "𝄞", "\u0007"]) {
      await desk.propose({ summary: character.repeat(5_000) });
    }
    await desk.sendAll();
    expect(desk.service.refused).toEqual([]);
    expect(browser.accepted).toHaveLength(5);
    expect(browser.messages()).toContainEqual(
      expect.objectContaining({ title: expect.stringMatching(/^x+…$/) }),
    );
  });
});

describe("push messages", () => {
  it("go to every browser of those who may decide, and to nobody else", async () => {
    await using desk = await openPushDesk();
    const [phone, laptop, other, foreign] = [
      await desk.browserOf(finance),
      await desk.browserOf(finance),
      await desk.browserOf(lead),
      await desk.browserOf({ ...finance, tenantId: "other" }),
    ];
    await desk.propose({ approvers: { roles: ["finance"], ids: [] } });
    await desk.sendAll();
    const received = [phone, laptop, other, foreign].map(({ accepted }) => accepted.length);
    expect(received).toEqual([1, 1, 0, 0]);
  });

  it("do not ask somebody again who has voted", async () => {
    await using desk = await openPushDesk();
    const [voter, other] = [await desk.browserOf(finance), await desk.browserOf(lead)];
    const call = await desk.propose({
      approvers: { roles: ["finance", "lead"], ids: [] },
      terms: { quorum: 2, escalation: [{ afterMs: minute, escalateTo: [] }] },
    });
    await desk.sendAll();
    const { id: approvalId, digest } = call;
    await desk.store.decide({ approvalId, principal: finance, type: "approve", digest, reason: null });
    desk.time.offset += 2 * minute;
    await desk.store.peek(call.requestId, 1);
    await desk.sendAll();
    expect([voter.accepted.length, other.accepted.length]).toEqual([1, 2]);
    // A browser that was off gets the reminder in place of the first message.
    expect(other.accepted[0]?.topic).toBe(other.accepted[1]?.topic);
  });

  it("about an assignment go to the assignee alone", async () => {
    await using desk = await openPushDesk();
    const [assignee, other] = [await desk.browserOf(lead), await desk.browserOf(finance)];
    const call = await desk.propose({
      approvers: { roles: ["finance"], ids: [] },
      terms: { delegable: true },
    });
    await desk.sendAll();
    await desk.instance().assign({ approvalId: call.id, principal: finance, to: "lead" });
    await desk.sendAll();
    expect([assignee.accepted.length, other.accepted.length]).toEqual([1, 1]);
  });

  it("do not go to an assignee who may not decide, because the rule does not let approvers delegate", async () => {
    await using desk = await openPushDesk();
    const [assignee, other] = [await desk.browserOf(lead), await desk.browserOf(finance)];
    const call = await desk.propose({ approvers: { roles: ["finance"], ids: [] } });
    await desk.store.assign({ approvalId: call.id, principal: finance, to: "lead" });
    await desk.sendAll();
    expect([assignee.accepted.length, other.accepted.length]).toEqual([0, 1]);
  });

  it("are not sent about a call that was decided before", async () => {
    await using desk = await openPushDesk();
    const browser = await desk.browserOf(finance);
    const { id: approvalId, digest } = await desk.propose();
    await desk.store.decide({ approvalId, principal: finance, type: "deny", digest, reason: null });
    await desk.sendAll();
    expect(browser.accepted).toEqual([]);
  });
});

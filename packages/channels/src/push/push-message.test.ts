import { expect, it } from "vitest";
import { pushMessage, ttlSeconds } from "./push-message.js";

it("a push service keeps a message no longer than people can decide, and at most four weeks", () => {
  const now = new Date("2026-11-22T12:00:00Z");
  const ttl = (expiresAt: Date | null) => ttlSeconds({ expiresAt }, now);
  expect(ttl(new Date("2026-11-22T12:30:00Z"))).toBe(1_800);
  expect(ttl(new Date("2026-11-22T11:30:00Z"))).toBe(0);
  expect(ttl(new Date("2027-11-22T12:00:00Z"))).toBe(28 * 86_400);
  expect(ttl(null)).toBe(28 * 86_400);
  const call = { approvalId: "apr_1", summary: "Refund", risk: "low", expiresAt: null } as const;
  expect(pushMessage(call).expiresAt).toBeNull();
});

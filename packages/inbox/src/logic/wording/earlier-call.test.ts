import { expect, it } from "vitest";
import type { EarlierCall } from "../../api/approval.js";
import { earlierCallText } from "./earlier-call.js";

const now = Date.parse("2026-01-02T03:10:00.000Z");
const finishedAt = "2026-01-02T03:07:00.000Z";

it.each<[EarlierCall["status"], string | null, string | null, string]>([
  ["executed", finishedAt, "ada", "The same request ran 3 min ago, approved by ada"],
  ["executed", finishedAt, "me", "The same request ran 3 min ago, approved by you"],
  ["executed", "2026-01-02T03:09:50.000Z", null, "The same request ran just now"],
  ["failed", finishedAt, "ada", "The same request ran and failed 3 min ago, approved by ada"],
  ["responded", finishedAt, "ada", "The same request was answered 3 min ago by ada"],
  ["executing", null, "ada", "The same request is running, approved by ada"],
  ["interrupted", finishedAt, null, "The same request was interrupted 3 min ago and may have run"],
])("earlierCallText describes a call that is %s since %s by %s: %s", (status, at, decidedBy, text) => {
  const earlier = { approvalId: "apr_0", status, finishedAt: at, decidedBy };
  expect(earlierCallText(earlier, now, "me")).toBe(text);
});

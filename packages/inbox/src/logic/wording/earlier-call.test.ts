import { expect, it } from "vitest";
import type { EarlierCall } from "../../api/approval.js";
import { earlierCallText } from "./earlier-call.js";

const now = Date.parse("2026-01-02T03:10:00.000Z");
const finishedAt = "2026-01-02T03:07:00.000Z";

it.each<[EarlierCall["status"], string | null, string]>([
  ["executed", finishedAt, "The same call ran 3 min ago in this conversation"],
  ["executed", "2026-01-02T03:09:50.000Z", "The same call ran just now in this conversation"],
  ["failed", finishedAt, "The same call ran and failed 3 min ago in this conversation"],
  ["responded", finishedAt, "A person answered the same call 3 min ago in this conversation"],
  ["executing", null, "The same call is running in this conversation"],
  [
    "interrupted",
    finishedAt,
    "The same call was interrupted 3 min ago in this conversation and may have run",
  ],
])("earlierCallText describes a call that is %s since %s: %s", (status, at, text) => {
  expect(earlierCallText({ approvalId: "apr_0", status, finishedAt: at }, now)).toBe(text);
});

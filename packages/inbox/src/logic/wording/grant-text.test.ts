import { expect, it } from "vitest";
import type { Grant } from "../../api/records.js";
import { grantText } from "./grant-text.js";

const grant: Grant = {
  id: "grt_1",
  scope: "team",
  scopeId: null,
  label: null,
  toolName: "issue_refund",
  arguments: "any",
  rerun: false,
  summary: "Refund 80 EUR",
  approvalId: "apr_1",
  grantedBy: "finance",
  approvers: { roles: [], ids: [] },
  status: "live",
  createdAt: "2026-01-02T03:04:05.000Z",
  expiresAt: "2026-01-02T11:04:05.000Z",
  usesLeft: null,
  usesTaken: 0,
  budget: null,
  revokedAt: null,
  revokedBy: null,
  mayRevoke: true,
};

it.each([
  [grant, "All calls of issue_refund, for everyone"],
  [{ ...grant, label: "Refund" }, "All calls of Refund, for everyone"],
  [
    { ...grant, label: "Refund", arguments: "exact" as const },
    "Calls of Refund with exactly these arguments, for everyone",
  ],
])("a grant covers the calls as its rules called them: %#", (given, covers) => {
  expect(grantText(given).covers).toBe(covers);
});

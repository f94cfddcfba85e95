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
  [grant, "All requests of issue_refund, for everyone"],
  [{ ...grant, label: "Refund" }, "All refunds, for everyone"],
  [{ ...grant, label: "Refund", arguments: "exact" as const }, "The same refund, for everyone"],
])("a grant covers what its rules call its requests: %#", (given, covers) => {
  expect(grantText(given).covers).toBe(covers);
});

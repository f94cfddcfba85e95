import { createHash } from "node:crypto";
import { canonicalJson } from "@countersign/policy/internal/shared/canonical-json";
import { describe, expect, it } from "vitest";
import type { AuditEntry } from "../../api/records.js";
import { checkHashes } from "./entry-hashes.js";

function entry(position: number, data: Record<string, unknown>): AuditEntry {
  const covered = {
    position,
    tenantId: "t",
    approvalId: "a",
    type: "approval.proposed",
    actorId: null,
    at: "2026-01-02T03:04:05.678Z",
    data,
    prevHash: "0".repeat(64),
  };
  return {
    ...covered,
    hash: createHash("sha256")
      .update(canonicalJson(covered) ?? "")
      .digest("hex"),
  };
}

describe("checkHashes", () => {
  it("accepts unchanged entries", async () => {
    expect(await checkHashes([entry(1, { x: 1 }), entry(2, {})])).toEqual({ state: "intact", entries: 2 });
  });

  it("finds a changed entry", async () => {
    expect(await checkHashes([entry(1, {}), { ...entry(2, {}), actorId: "mallory" }])).toEqual({
      state: "broken",
      position: 2,
    });
  });
});

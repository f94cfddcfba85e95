import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AuditEntry } from "../api/approval.js";
import { canonicalJson, checkSeal } from "./audit-seal.js";

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
  return { ...covered, hash: createHash("sha256").update(canonicalJson(covered)).digest("hex") };
}

describe("canonicalJson", () => {
  it("sorts keys by UTF-16 units and writes no spaces", () => {
    expect(canonicalJson({ b: [1, null, "é"], a: { "\u{1f600}": 1, "\ufb33": 2 } })).toBe(
      '{"a":{"\u{1f600}":1,"\ufb33":2},"b":[1,null,"é"]}',
    );
  });
});

describe("checkSeal", () => {
  it("finds entries as they were written", async () => {
    expect(await checkSeal([entry(1, { x: 1 }), entry(2, {})])).toEqual({ state: "intact", entries: 2 });
  });

  it("finds one that was changed", async () => {
    expect(await checkSeal([entry(1, {}), { ...entry(2, {}), actorId: "mallory" }])).toEqual({
      state: "broken",
      position: 2,
    });
  });
});

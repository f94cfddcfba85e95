import { describe, expect, it } from "vitest";
import { someApproval } from "../testing/some-approval.js";
import { refusalFor } from "./refusal-text.js";

const denied = (reason: string | null, decidedBy: string | null = "lead") =>
  refusalFor(
    someApproval({
      toolName: "refund",
      status: "denied",
      decision: { type: "deny", decidedBy, roles: null, reason, decidedAt: new Date(0) },
    }),
  )?.message;

describe("the message of a denial", () => {
  it.each([
    ["Too late", "Too late."],
    ["Too late. ", "Too late."],
    ["Is it?", "Is it?"],
    ['They wrote "no."', 'They wrote "no."'],
    ["遅すぎます。", "遅すぎます。"],
  ])("ends the reason %j as a sentence before it continues", (reason, sentence) => {
    expect(denied(reason)).toContain(`Their reason: ${sentence} Do not repeat the same call.`);
    expect(denied(reason, null)).toContain(`Reason: ${sentence} Do not try it again.`);
  });
});

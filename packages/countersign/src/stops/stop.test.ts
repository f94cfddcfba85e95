import { describe, expect, it } from "vitest";
import { checkedStop, coveringStop, type NewStop, type Stop } from "./stop.js";

const engaged = (tenantId: string | null, tool: string) =>
  ({ id: `${tenantId} ${tool}`, tenantId, tool }) as Stop;
const by = { id: "ada", roles: [] };
const newStop = (fields: Partial<NewStop>): NewStop => ({
  tenantId: "acme",
  tool: "*",
  reason: "A leak",
  by,
  ...fields,
});

describe("a stop", () => {
  it.each([
    ["*", "refund"],
    ["*", "files/delete"],
    ["refund", "refund"],
    ["refund_*", "refund_order"],
    ["{refund,email}", "email"],
    ["files/*", "files/delete"],
  ])("of %s covers calls of %s", (tool, toolName) => {
    expect(coveringStop([engaged("acme", tool)], { tenantId: "acme", toolName })).toBeDefined();
  });

  it.each([
    ["refund", "refund_order"],
    ["refund_*", "lookup"],
    ["Refund", "refund"],
  ])("of %s does not cover calls of %s", (tool, toolName) => {
    expect(coveringStop([engaged("acme", tool)], { tenantId: "acme", toolName })).toBeUndefined();
  });

  it("covers its own tenant, or all tenants", () => {
    const call = { tenantId: "acme", toolName: "refund" };
    expect(coveringStop([engaged("bolt", "*")], call)).toBeUndefined();
    expect(coveringStop([engaged("bolt", "*"), engaged(null, "refund")], call)?.tenantId).toBeNull();
  });
});

describe("a new stop", () => {
  it("has the space around its tool and reason removed", () => {
    expect(checkedStop(newStop({ tool: " refund ", reason: " A leak\n" }))).toMatchObject({
      tool: "refund",
      reason: "A leak",
    });
  });

  it.each([
    ["reason", { reason: "" }],
    ["reason", { reason: "  " }],
    ["reason", { reason: "r".repeat(501) }],
    ["reason", { reason: "a\0b" }],
    ["reason", { reason: "\ud800" }],
    ["tool", { tool: "" }],
    ["tool", { tool: "t".repeat(201) }],
    ["tool", { tool: "a\0" }],
    ["tool", { tool: "+(a|aa)b" }],
    ["tool", { tool: "!refund_*" }],
    ["tool", { tool: " !refund" }],
    ["tool", { tool: "!(refund)" }],
    ["tool", { tool: "*a*a*a*a*a" }],
  ])("is refused for an invalid %s: %o", (field, fields) => {
    expect(() => checkedStop(newStop(fields))).toThrow(
      expect.objectContaining({ code: "invalid_request", message: expect.stringMatching(`^${field}: `) }),
    );
  });

  it("may give a reason of 500 characters", () => {
    expect(checkedStop(newStop({ reason: "r".repeat(500) })).reason).toHaveLength(500);
  });
});

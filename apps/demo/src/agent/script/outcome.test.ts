import { describe, expect, it } from "vitest";
import { outcomeOf } from "./outcome.js";

const result = (content: unknown) => {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return {
    role: "tool" as const,
    toolCallId: "c1",
    toolName: "issue_refund",
    content: text,
    ...(typeof content !== "string" && { parsed: content }),
  };
};
const refused = (code: string, message: string) => ({ error: { name: "CallNotRun", code, message } });

describe("outcomeOf", () => {
  it.each([
    ["denied_by_person", "denied"],
    ["denied_by_policy", "forbidden"],
    ["approval_expired", "expired"],
    ["approval_withdrawn", "withdrawn"],
    ["execution_interrupted", "interrupted"],
    ["unknown_tool", "failed"],
  ])("reads the code %s as %s in every place where a result may hold it", (code, kind) => {
    expect(outcomeOf(result(refused(code, "No.")))).toEqual({ kind, message: "No." });
    if (kind === "failed") return;
    expect(outcomeOf(result({ code, message: "No." })).kind).toBe(kind);
    expect(outcomeOf(result({ data: { code, message: "No." } })).kind).toBe(kind);
  });

  it.each([
    ["It was denied by the lead", "denied"],
    ["The time for it expired", "expired"],
    ["It may or may not have run", "interrupted"],
    ["There is no order A-9999", "failed"],
  ])("reads the text %j if there is no code", (message, kind) => {
    expect(outcomeOf(result({ error: { name: "Error", message } }))).toEqual({ kind, message });
    expect(outcomeOf(result({ error: message })).kind).toBe(kind);
    expect(outcomeOf(result(message)).kind).toBe(kind);
  });

  it("reads a tool's data as success, whatever words it contains", () => {
    expect(outcomeOf(result({ data: { status: "sent", subject: "Denied and expired" } }))).toEqual({
      kind: "done",
      data: { status: "sent", subject: "Denied and expired" },
    });
  });

  it("reads a result alone as success, as agents without AgentKit pass it on", () => {
    const refunded = { status: "refunded", amount: 49.9 };
    expect(outcomeOf(result(refunded))).toEqual({ kind: "done", data: refunded });
  });

  it.each([{}, null, [], { data: undefined }, 7])("reads %j as a failure", (content) => {
    expect(outcomeOf(result(content)).kind).toBe("failed");
  });
});

import { describe, expect, it } from "vitest";
import { translateQuestion } from "./elicitation.js";

const asker = { server: "travel", tool: "book" };
const ask = (requestedSchema: object, message = "Which seat?") =>
  translateQuestion(asker, "seat", { message, requestedSchema });
const seat = { type: "string", title: "Seat" };

describe("a form of an MCP server", () => {
  it("becomes a form of ours", () => {
    const form = { type: "object", properties: { seat }, required: ["seat"] };
    expect(ask(form)).toEqual({
      ok: true,
      question: { key: "seat", input: { message: "Which seat?", ...asker, form } },
    });
  });

  it("with a field that no answer can hold is refused", () => {
    const properties: unknown = JSON.parse('{"__proto__": {"type": "string"}, "seat": {"type": "string"}}');
    expect(ask({ type: "object", properties })).toMatchObject({ ok: false });
  });

  it("with more fields than anybody fills in is refused", () => {
    const names = Array.from({ length: 101 }, (_, index) => `field${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, seat]));
    expect(ask({ type: "object", properties })).toMatchObject({
      ok: false,
      problem: expect.stringContaining("at most 100 fields"),
    });
  });

  it("cannot hide that it asks for a secret behind letters of other alphabets", () => {
    expect(ask({ type: "object", properties: { seat } }, "Please enter your pаssword")).toMatchObject({
      ok: false,
      problem: expect.stringContaining("asked for a secret"),
    });
  });
});

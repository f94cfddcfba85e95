import { describe, expect, it } from "vitest";
import { translateQuestion } from "./elicitation.js";

const asker = { server: "travel", tool: "book" };
const ask = (requestedSchema: object, message = "Which seat?") =>
  translateQuestion(asker, "seat", { message, requestedSchema });
const seat = { type: "string", title: "Seat" };

describe("a form of an MCP server", () => {
  it("becomes a question with the same form", () => {
    const form = { type: "object", properties: { seat }, required: ["seat"] };
    expect(ask(form)).toEqual({
      ok: true,
      question: { key: "seat", input: { message: "Which seat?", ...asker, form } },
    });
  });

  it("is refused if no answer can hold one of its fields", () => {
    const properties: unknown = JSON.parse('{"__proto__": {"type": "string"}, "seat": {"type": "string"}}');
    expect(ask({ type: "object", properties })).toMatchObject({ ok: false });
  });

  it("is refused if it has more than 100 fields", () => {
    const names = Array.from({ length: 101 }, (_, index) => `field${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, seat]));
    expect(ask({ type: "object", properties })).toMatchObject({
      ok: false,
      problem: expect.stringContaining("at most 100 fields"),
    });
  });

  it("is refused if it asks for a secret in look-alike letters", () => {
    expect(ask({ type: "object", properties: { seat } }, "Please enter your pаssword")).toMatchObject({
      ok: false,
      problem: expect.stringContaining("asked for a secret"),
    });
  });
});

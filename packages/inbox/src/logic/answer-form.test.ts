import { describe, expect, it } from "vitest";
import { questionOf, readAnswer } from "./answer-form.js";

const form = {
  type: "object",
  properties: {
    street: { type: "string", title: "Street", minLength: 3, maxLength: 10 },
    mail: { type: "string", format: "email" },
    parcels: { type: "integer", minimum: 1, maximum: 9 },
    gift: { type: "boolean", default: true },
    speed: { type: "string", enum: ["n", "x"], enumNames: ["Normal", "Express"] },
  },
  required: ["street", "parcels", "speed"],
};

describe("questionOf", () => {
  it("makes one choice of choices", () => {
    expect(questionOf({ message: "Which?", choices: ["a", "b"] })?.fields).toMatchObject([
      { name: "choice", control: "choice", required: true, options: [{ value: "a" }, { value: "b" }] },
    ]);
  });

  it("makes a free answer of nothing", () => {
    expect(questionOf({ message: "Why?" })?.fields).toMatchObject([
      { name: "answer", control: "long", required: true },
    ]);
  });

  it("makes a control of each field of a form", () => {
    const fields = questionOf({ message: "Where?", form })?.fields ?? [];
    expect(
      fields.map(({ name, control, inputType, required }) => [name, control, inputType, required]),
    ).toEqual([
      ["street", "text", "text", true],
      ["mail", "text", "email", false],
      ["parcels", "number", "text", true],
      ["gift", "checkbox", "text", false],
      ["speed", "choice", "text", true],
    ]);
    expect(fields[4]?.options).toEqual([
      { value: "n", label: "Normal" },
      { value: "x", label: "Express" },
    ]);
  });

  it("finds no question in other arguments", () => {
    expect([questionOf(null), questionOf({ message: 1 })]).toEqual([undefined, undefined]);
  });
});

describe("readAnswer", () => {
  const fields = questionOf({ message: "Where?", form })?.fields ?? [];

  it("gives values of the right kind, leaves out what is empty, and keeps defaults", () => {
    expect(readAnswer(fields, { street: "Main 1", parcels: "2", speed: "x" })).toEqual({
      content: { street: "Main 1", parcels: 2, speed: "x", gift: true },
      problems: {},
    });
  });

  it("says what is wrong, field by field", () => {
    const typed = { street: "ab", mail: "nobody", parcels: "1.5" };
    expect(readAnswer(fields, typed).problems).toEqual({
      street: "Write at least 3 characters",
      mail: "Write an e-mail address, such as name@example.com",
      parcels: "Write a whole number",
      speed: "Choose one",
    });
  });

  it.each([
    ["0", "Not less than 1"],
    ["10", "Not more than 9"],
    ["two", "Write a number, such as 12.50"],
    ["", "This is needed"],
  ])("does not take %j for a number of parcels", (parcels, problem) => {
    expect(readAnswer(fields, { parcels }).problems).toMatchObject({ parcels: problem });
  });
});

import { describe, expect, it, onTestFinished } from "vitest";
import { writeAs } from "../../words/locale.js";
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
  it("turns choices into one field", () => {
    expect(questionOf({ message: "Which?", choices: ["a", "b"] })?.fields).toMatchObject([
      { name: "choice", control: "choice", required: true, options: [{ value: "a" }, { value: "b" }] },
    ]);
  });

  it("offers a text field if there are neither choices nor a form", () => {
    expect(questionOf({ message: "Why?" })?.fields).toMatchObject([
      { name: "answer", control: "long", required: true },
    ]);
  });

  it("turns each property of a form into a field", () => {
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

  it("returns undefined for other arguments", () => {
    expect([questionOf(null), questionOf({ message: 1 })]).toEqual([undefined, undefined]);
  });
});

describe("readAnswer", () => {
  const fields = questionOf({ message: "Where?", form })?.fields ?? [];

  it("converts values to their types, omits empty ones and keeps defaults", () => {
    expect(readAnswer(fields, { street: "Main 1", parcels: "2", speed: "x" })).toEqual({
      content: { street: "Main 1", parcels: 2, speed: "x", gift: true },
      problems: {},
    });
  });

  it("shows and reads numbers as in the reader's locale", () => {
    writeAs("de");
    onTestFinished(() => writeAs("en"));
    const price = { properties: { price: { type: "number", default: 1.234 } } };
    const priced = questionOf({ message: "How much?", form: price })?.fields ?? [];
    expect(priced).toMatchObject([{ initial: "1,234" }]);
    expect(readAnswer(priced, {}).content).toEqual({ price: 1.234 });
    expect(readAnswer(priced, { price: "1.234" }).content).toEqual({ price: 1234 });
  });

  it("reports an error for each invalid field", () => {
    const typed = { street: "ab", mail: "nobody", parcels: "1.5" };
    expect(readAnswer(fields, typed).problems).toEqual({
      street: "Enter at least 3 characters",
      mail: "Enter an email address, such as name@example.com",
      parcels: "Enter a whole number",
      speed: "Choose one",
    });
  });

  it.each([
    ["0", "Must be at least 1"],
    ["10", "Must be at most 9"],
    ["two", "Enter a number, such as 12.50"],
    ["", "Required"],
  ])("rejects %j as a number of parcels", (parcels, problem) => {
    expect(readAnswer(fields, { parcels }).problems).toMatchObject({ parcels: problem });
  });
});

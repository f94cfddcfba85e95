import { describe, expect, it } from "vitest";
import { jsonResult } from "./json-result.js";

class Ledger {
  #entries = [1, 2];
  get entries() {
    return this.#entries;
  }
}

async function* rows() {
  yield 1;
}

const circular: { self?: unknown } = {};
circular.self = circular;

describe("a result that JSON cannot hold", () => {
  it.each([
    ["Map", new Map([["a", 1]])],
    ["Set", new Set([1])],
    ["ReadableStream", new ReadableStream()],
    ["AsyncGenerator", rows()],
    ["Ledger", new Ledger()],
    ["TypeError", new TypeError("no")],
    ["NaN", Number.NaN],
    ["function", () => 1],
  ])("is replaced by a message that names its type: %s", (name, value) => {
    const { data, lost } = jsonResult(value);
    expect(data).toMatch(
      new RegExp(`^The tool ran, but its result \\(.*${name}.*\\) cannot be written as JSON\\.$`),
    );
    expect(lost).toHaveLength(1);
  });

  it.each([
    ["a circular reference", circular],
    [
      "a toJSON that throws",
      {
        toJSON() {
          throw new Error("no");
        },
      },
    ],
  ])("is replaced by a message: %s", (_what, value) => {
    expect(jsonResult(value).data).toBe("The tool ran, but its result cannot be written as JSON.");
  });
});

it("jsonResult names lost parts in their place and keeps the rest", () => {
  const { data, lost } = jsonResult({
    id: "A-1",
    total: 12n,
    share: Number.POSITIVE_INFINITY,
    rows: [new Map(), { tags: new Set(["x"]) }],
  });
  expect(data).toEqual({
    id: "A-1",
    total: "12",
    share: "[Infinity: cannot be written as JSON]",
    rows: ["[Map: cannot be written as JSON]", { tags: "[Set: cannot be written as JSON]" }],
  });
  expect(lost).toEqual(["Infinity", "Map", "Set"]);
});

it("jsonResult replaces unpaired surrogates in texts and keys, and says so", () => {
  expect(jsonResult({ "k\ud800": [{ name: "a\udc00b" }], emoji: "😀" })).toEqual({
    data: { "k\ufffd": [{ name: "a\ufffdb" }], emoji: "😀" },
    lost: ["unpaired surrogate"],
  });
  expect(jsonResult("a\ud800")).toEqual({ data: "a\ufffd", lost: ["unpaired surrogate"] });
});

it.each([
  ["undefined", undefined, undefined],
  ["null", null, null],
  ["a text", "yes", "yes"],
  ["an empty object", {}, {}],
  ["an object without prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
  ["a buffer", Buffer.from("a"), { type: "Buffer", data: [97] }],
  ["a boxed number", Object(5), 5],
  ["an instance with fields", Object.assign(new Ledger(), { open: 3 }), { open: 3 }],
  ["functions and undefined in an object", { a: 1, b: undefined, c: () => 1 }, { a: 1 }],
])("jsonResult keeps %s as JSON does", (_what, value, data) => {
  expect(jsonResult(value)).toEqual({ data, lost: [] });
});

import { expect, it } from "vitest";
import { describeThrown } from "./thrown-value.js";

const unreadable = "The tool's handler threw a value that cannot be read as an error.";
const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error("no");
    },
  },
);

it.each([
  ["an error", new TypeError("bad id"), { name: "TypeError", message: "bad id" }],
  ["a text", "bad id", { name: "Error", message: "bad id" }],
  ["undefined", undefined, { name: "Error", message: "undefined" }],
  ["a symbol", Symbol("s"), { name: "Error", message: "Symbol(s)" }],
  [
    "an object with a message",
    { name: "Refused", message: "bad id" },
    { name: "Refused", message: "bad id" },
  ],
  ["an object without a message", { status: 503 }, { name: "Error", message: '{"status":503}' }],
  ["an object without prototype", Object.create(null), { name: "Error", message: "{}" }],
  ["an object that cannot be read", hostile, { name: "Error", message: unreadable }],
])("describeThrown returns the name and message of %s", (_what, thrown, described) => {
  expect(describeThrown(thrown)).toEqual(described);
});

it("describeThrown truncates a long message and says so", () => {
  const { message } = describeThrown(new Error("x".repeat(5_000_000)));
  expect(message.length).toBeLessThan(10_100);
  expect(message).toContain("truncated; the full message has 5000000 characters");
});

it("describeThrown returns text that an engine carries", () => {
  const long = describeThrown(new Error(`${"x".repeat(9_999)}😀${"x".repeat(100)}`)).message;
  expect(long).toMatch(/^x{9999}… \(truncated/);
  const named = Object.assign(new Error("a\ud800b"), { name: `${"n".repeat(199)}😀` });
  expect(describeThrown(named)).toEqual({ name: "n".repeat(199), message: "a\ufffdb" });
});

import { afterEach, describe, expect, it } from "vitest";
import { de } from "../../words/de/index.js";
import { en } from "../../words/en/index.js";
import { writeAs } from "../../words/locale.js";
import { speak } from "../../words/words.js";
import { approveText, confirmationOf, textToType, typedMatches } from "./approve-action.js";

describe("approveText", () => {
  afterEach(() => speak(en));

  it.each([
    ["issue_refund", "Approve refund"],
    ["sendEmail", "Approve email"],
    ["delete_customer", "Approve: delete customer"],
    ["run", "Approve: run"],
    ["a_tool_with_a_very_long_name_indeed", "Approve"],
    ["___", "Approve"],
  ])("labels %s as %s", (tool, words) => {
    expect(approveText({ label: null, toolName: tool })).toBe(words);
  });

  it.each([
    ["Refund", "Approve refund", "Freigeben: Refund"],
    ["KYC", "Approve: KYC", "Freigeben: KYC"],
    ["Pay supplier", "Approve: Pay supplier", "Freigeben: Pay supplier"],
    ["Change the address of an order", "Approve", "Freigeben"],
  ])("uses the label %s of a rule", (label, english, german) => {
    const call = { label, toolName: "issue_refund" };
    expect(approveText(call)).toBe(english);
    speak(de);
    expect(approveText(call)).toBe(german);
  });
});

describe("confirmationOf", () => {
  it("gets stricter as the risk increases", () => {
    const confirmations = (["low", "medium", "high", "critical"] as const).map((risk) =>
      confirmationOf({ risk, checks: [], preview: null }),
    );
    expect(confirmations).toEqual(["key", "key", "arm", "type"]);
  });

  it("takes a second step if a safety check failed", () => {
    const check = { name: "balance", ok: true, message: null };
    expect(confirmationOf({ risk: "low", checks: [check], preview: null })).toBe("key");
    expect(confirmationOf({ risk: "low", checks: [check, { ...check, ok: false }], preview: null })).toBe(
      "arm",
    );
  });

  it("takes a second step if nobody knows what the call would change", () => {
    const preview = { failed: null, effects: [], reversible: null };
    const of = (failed: "late" | null) =>
      confirmationOf({ risk: "low", checks: [], preview: { ...preview, failed } });
    expect([of(null), of("late")]).toEqual(["key", "arm"]);
  });
});

describe("textToType", () => {
  const toolName = "drop_table";
  it.each([
    [{ table: "orders", amount: 5000 }, "5,000"],
    [{ amount: 499.999999999 }, "499.999999999"],
    [{ note: "hello", table: "orders" }, "orders"],
    [{ note: "hello" }, toolName],
    [{ name: "[hidden]" }, toolName],
    [{ name: "p\u0430ypal" }, toolName],
    [null, toolName],
  ])("picks from %j the text %s", (input, word) => {
    expect(textToType({ input, toolName }).text).toBe(word);
  });
});

describe("typedMatches", () => {
  it.each([
    ["5000", 5000, true],
    [" 5,000.00 ", 5000, true],
    ["-1234.5", -1234.5, true],
    ["500", 499.999999999, false],
    ["500", 5000, false],
    ["50,00", 5000, false],
    ["5,0000", 50_000, false],
    ["0,500", 500, false],
  ])("compares %j with %j and returns %j", (typed, number, result) => {
    expect(typedMatches(typed, { text: String(number), number })).toBe(result);
  });

  it.each([
    ["orders", "orders", true],
    ["Orders", "orders", false],
    ["", "orders", false],
    ["1200", "1,200", false],
  ])("compares %j with the text %j and returns %j", (typed, text, result) => {
    expect(typedMatches(typed, { text })).toBe(result);
  });

  afterEach(() => writeAs("en"));

  it.each([
    ["de", 5000, "5000", true],
    ["de", 5000, "5.000,00", true],
    ["de", 5000, "5,000", false],
    ["de", 500, "0.500", false],
    ["de", 1234.5, "1234,5", true],
    ["de-CH", 5000, "5’000", true],
    ["de-CH", 5000, "5'000", true],
    ["de-AT", 5000, "5 000", true],
  ])("reads numbers as in %s: %j typed as %j: %j", (locale, amount, typed, result) => {
    writeAs(locale);
    expect(typedMatches(typed, textToType({ input: { amount }, toolName: "pay" }))).toBe(result);
  });
});

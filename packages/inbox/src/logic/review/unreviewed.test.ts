import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { effectPlace, effectsPlace } from "./effect-places.js";
import { nothingReviewed } from "./reviewed.js";
import { elsewhere, unreviewedOf, unreviewedText } from "./unreviewed.js";

const flag = (path: string) => ({ path, kind: "blanks" as const, characters: ["U+0020"], count: 400 });
const long = "x".repeat(500);

describe("unreviewedOf", () => {
  const approval = someApproval({
    input: { to: "a", body: long, data: { more: [{ text: long }] }, amount: 5 },
    editable: [],
    flags: [flag("input.to"), flag("input.to"), flag("input.data.more.0.text"), flag("toolName")],
  });

  it("lists every long value, warning and argument before the review", () => {
    const unreviewed = unreviewedOf(approval, undefined);
    expect(unreviewed).toEqual({
      folds: ["body", "data.more"],
      warnings: ["to", "data.more", elsewhere],
      below: ["to", "body", "data.more", "amount"],
    });
    expect(unreviewedText(unreviewed)).toEqual([
      "2 long texts not opened",
      "3 warnings to check",
      "4 values below not seen yet",
    ]);
  });

  it("excludes what the reader opened, checked, scrolled to or changed", () => {
    const reviewed = {
      digest: approval.digest,
      unfolded: new Set(["body"]),
      checked: new Set(["to", elsewhere]),
      reached: new Set(["to", "body", "amount"]),
      seen: true,
    };
    expect(unreviewedOf(approval, reviewed)).toEqual({
      folds: ["data.more"],
      warnings: ["data.more"],
      below: ["data.more"],
    });
    expect(unreviewedText(unreviewedOf(approval, reviewed, new Set(["data.more"])))).toEqual([]);
  });

  it("starts over if the arguments have changed", () => {
    const reviewed = { ...nothingReviewed("another"), reached: new Set(["to"]) };
    expect(unreviewedOf(approval, reviewed).below).toContain("to");
  });

  it("counts flags that the API truncated as one warning", () => {
    const truncated = someApproval({ flags: [], flagsTruncated: true });
    expect(unreviewedOf(truncated, undefined).warnings).toEqual([elsewhere]);
  });

  it("ignores flags of an edited input", () => {
    expect(unreviewedOf(someApproval({ flags: [flag("editedInput.to")] }), undefined).warnings).toEqual([]);
  });

  it("lists the effects of a call, their long values and their warnings", () => {
    const effects = [
      { target: "order A-1", before: "paid", after: long },
      { target: "customer", after: "ada" },
    ];
    const previewed = someApproval({
      input: { to: "a" },
      preview: { failed: null, effects, reversible: null },
      flags: [flag("effects.1.after"), flag("effects.0.before")],
    });
    const unreviewed = unreviewedOf(previewed, undefined);
    expect(unreviewedText(unreviewed)).toEqual([
      "1 long text not opened",
      "1 warning to check",
      "1 value below not seen yet",
      "2 effects below not seen yet",
    ]);
    const reviewed = {
      digest: previewed.digest,
      unfolded: new Set([effectPlace(0, "after")]),
      checked: new Set([effectsPlace]),
      reached: new Set(["to", effectPlace(0)]),
      seen: true,
    };
    expect(unreviewedOf(previewed, reviewed)).toEqual({ folds: [], warnings: [], below: [effectPlace(1)] });
  });

  it("keeps the effects apart from an argument named effects", () => {
    const both = someApproval({
      input: { effects: ["x"] },
      preview: { failed: null, effects: [{ target: "x" }], reversible: null },
      flags: [flag("input.effects.0"), flag("effects.0.target")],
    });
    expect(unreviewedOf(both, undefined).warnings).toEqual(["effects", effectsPlace]);
  });

  it("is empty for a question", () => {
    const question = someApproval({ toolName: "request_human_input", verdict: "manual" });
    expect(unreviewedText(unreviewedOf(question, undefined))).toEqual([]);
  });
});

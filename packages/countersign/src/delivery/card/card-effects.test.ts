import type { Effect } from "@countersign/policy/internal/display/effect-text";
import { describe, expect, it } from "vitest";
import { cardEffects } from "./card-effects.js";

const previewOf = (effects: Effect[]) => ({ failed: null, effects, reversible: "30m" }) as const;

describe("cardEffects", () => {
  it("has a line for each effect, and says whether the call can be undone", () => {
    const preview = previewOf([{ target: "order A-1", before: "paid", after: "refunded" }]);
    expect(cardEffects(preview, null)).toEqual({
      effects: ["order A-1: paid → refunded"],
      reversible: "This can be undone within 30 minutes.",
      noPreview: null,
      cut: false,
      hidden: false,
    });
  });

  it("says that nothing would change, which is not the same as no preview", () => {
    expect(cardEffects(previewOf([]), null).effects).toEqual(["Nothing would change."]);
    expect(cardEffects(null, null)).toMatchObject({ effects: [], reversible: null, noPreview: null });
    expect(cardEffects({ failed: "threw", effects: [], reversible: null }, null)).toMatchObject({
      effects: [],
      reversible: null,
      noPreview: "No preview: the tool could not say what this would change.",
    });
  });

  it("leaves out the effects of arguments that an edit has replaced", () => {
    const edited = { inputJson: "{}", digest: "d" };
    expect(cardEffects(previewOf([{ target: "a" }]), edited).effects).toEqual([]);
    expect(cardEffects({ failed: "late", effects: [], reversible: null }, edited).noPreview).toBeNull();
  });

  it.each([
    ["11 effects", Array.from({ length: 11 }, (_, at) => ({ target: `row ${at}` })), true],
    ["10 effects", Array.from({ length: 10 }, (_, at) => ({ target: `row ${at}` })), false],
    ["a value of 301 characters", [{ target: "a", after: "x".repeat(301) }], true],
    ["a value of 300 characters", [{ target: "a", after: "x".repeat(300) }], false],
    [
      "a value that is long once its characters are named",
      [{ target: "a", after: "x\u200by".repeat(60) }],
      true,
    ],
    ["a target of 201 characters", [{ target: "x".repeat(201) }], true],
    ["long JSON", [{ target: "a", before: { note: "x".repeat(300) } }], true],
  ])("knows whether %s fit on a card", (_what, effects, cut) => {
    expect(cardEffects(previewOf(effects), null).cut).toBe(cut);
  });

  it("counts what does not fit", () => {
    const effects = Array.from({ length: 100 }, (_, at) => ({ target: `row ${at}` }));
    const lines = cardEffects(previewOf(effects), null).effects;
    expect([lines.length, lines.at(-1)]).toEqual([11, "90 more"]);
  });

  it("knows whether a part is hidden", () => {
    expect(cardEffects(previewOf([{ target: "a", after: { card: "no [hidden]" } }]), null).hidden).toBe(true);
  });
});

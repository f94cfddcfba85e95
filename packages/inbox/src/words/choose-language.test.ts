import { describe, expect, it } from "vitest";
import { chooseLanguage } from "./choose-language.js";

describe("chooseLanguage", () => {
  it("takes the first language of the browser that the inbox speaks, with its region", () => {
    expect(chooseLanguage(undefined, ["fr-FR", "de-CH", "en-GB"])).toEqual({
      language: "de",
      locale: "de-CH",
    });
  });

  it("takes English where the browser names no language that the inbox speaks", () => {
    expect(chooseLanguage(undefined, ["fr"])).toEqual({ language: "en", locale: "en" });
    expect(chooseLanguage(undefined, [])).toEqual({ language: "en", locale: "en" });
  });

  it("takes the wanted language, with the region that the browser names for it", () => {
    expect(chooseLanguage("de", ["en-US", "de-AT"])).toEqual({ language: "de", locale: "de-AT" });
    expect(chooseLanguage("de", ["en-US"])).toEqual({ language: "de", locale: "de" });
  });

  it("skips locales that Intl refuses", () => {
    expect(chooseLanguage(undefined, ["en-US@posix", "en-GB"])).toEqual({ language: "en", locale: "en-GB" });
  });

  it("does not take a language for another that begins alike", () => {
    expect(chooseLanguage(undefined, ["den-CA", "en-GB"])).toEqual({ language: "en", locale: "en-GB" });
  });
});

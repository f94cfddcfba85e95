import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { de } from "../../words/de/index.js";
import { en } from "../../words/en/index.js";
import { writeAs } from "../../words/locale.js";
import { speak } from "../../words/words.js";
import { agoText, countdown, durationText, elapsedText } from "./countdown.js";
import { exactTime } from "./exact-time.js";

const hour = 3_600_000;

describe("times in German", () => {
  beforeEach(() => {
    speak(de);
    writeAs("de");
  });
  afterEach(() => {
    speak(en);
    writeAs("en");
  });

  it("have their own units", () => {
    expect([12_000, hour / 2, 2 * hour + 300_000, 25 * hour, 48 * hour].map(durationText)).toEqual([
      "12 Sek.",
      "30 Min.",
      "2 Std. 5 Min.",
      "1 Tag 1 Std.",
      "2 Tage",
    ]);
    expect(elapsedText(1234)).toBe("1,2 Sek.");
  });

  it("say what is left and what is past", () => {
    expect([countdown(0, hour, hour / 2).text, countdown(0, 1, 1).text]).toEqual([
      "noch 30 Min.",
      "Zeit abgelaufen",
    ]);
    expect([agoText(0, 1000), agoText(0, 24 * hour), agoText(0, 49 * hour)]).toEqual([
      "gerade eben",
      "vor 1 Tag",
      "vor 2 Tagen 1 Std.",
    ]);
  });

  it("are written as in the reader's region", () => {
    const noon = new Date(2026, 2, 5, 15, 4, 5);
    expect(exactTime(noon.toISOString(), noon.getTime())).toBe("15:04:05");
    expect(exactTime(noon.toISOString(), noon.getTime() + 48 * hour, "minute")).toBe("5. März 2026, 15:04");
  });
});

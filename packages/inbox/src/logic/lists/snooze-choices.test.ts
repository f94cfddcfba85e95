import { describe, expect, it } from "vitest";
import { exactTime } from "../wording/exact-time.js";
import { snoozeChoices } from "./snooze-choices.js";

const at = (day: number, hour: number, minute = 0) => new Date(2026, 4, day, hour, minute).getTime();
const iso = (ms: number) => new Date(ms).toISOString();
const time = (ms: number) => exactTime(iso(ms), ms, "minute");
const now = at(4, 12, 20);

describe("the times until which a call can be put aside", () => {
  it("are a full hour, tomorrow morning, and ten minutes before it ends", () => {
    const end = at(6, 12);
    expect(snoozeChoices(iso(end), now)).toEqual([
      { until: iso(at(4, 14)), text: `Until ${time(at(4, 14))}` },
      { until: iso(at(5, 9)), text: `Until tomorrow, ${time(at(5, 9))}` },
      {
        until: iso(at(6, 11, 50)),
        text: `10 minutes before it ends, at ${exactTime(iso(at(6, 11, 50)), now, "minute")}`,
      },
    ]);
  });

  it("are never later than ten minutes before it ends", () => {
    const untils = (end: number) => snoozeChoices(iso(end), now).map(({ until }) => until);
    expect(untils(at(5, 9, 10))).toEqual([iso(at(4, 14)), iso(at(5, 9))]);
    expect(untils(at(4, 13, 20))).toEqual([iso(at(4, 12, 45)), iso(at(4, 13, 10))]);
    expect(untils(at(4, 12, 50))).toEqual([iso(at(4, 12, 30)), iso(at(4, 12, 40))]);
    expect(untils(at(4, 12, 36))).toEqual([iso(at(4, 12, 26))]);
    expect(untils(at(4, 12, 34))).toEqual([]);
    expect(untils(at(4, 12))).toEqual([]);
    expect(snoozeChoices(null, now)).toEqual([]);
  });
});

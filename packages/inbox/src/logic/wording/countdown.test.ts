import { describe, expect, it } from "vitest";
import { agoText, countdown, durationText, elapsedText } from "./countdown.js";

const minute = 60_000;

describe("countdown", () => {
  it("measures the time from the announcement to the end", () => {
    expect(countdown(0, 30 * minute, 15 * minute)).toEqual({
      leftMs: 15 * minute,
      fraction: 0.5,
      text: "15 min left",
      tone: "calm",
    });
  });

  it("has the tone “soon” in the last fifth or two minutes, and “last” in the last 30 seconds", () => {
    const tone = (wholeMs: number, leftMs: number) => countdown(0, wholeMs, wholeMs - leftMs).tone;
    expect([tone(100 * minute, 20 * minute + 1), tone(100 * minute, 20 * minute)]).toEqual(["calm", "soon"]);
    expect([tone(5 * minute, 2 * minute + 1), tone(5 * minute, 2 * minute)]).toEqual(["calm", "soon"]);
    expect([tone(100 * minute, 30_001), tone(100 * minute, 30_000), tone(20_000, 20_000)]).toEqual([
      "soon",
      "last",
      "last",
    ]);
  });

  it("rounds the time left up, so that what was given is not cut", () => {
    const text = (leftMs: number) => countdown(0, 1e9, 1e9 - leftMs).text;
    expect([text(30 * minute - 1), text(59.5 * minute), text(59_999), text(1)]).toEqual([
      "30 min left",
      "1 h left",
      "1 min left",
      "1 s left",
    ]);
  });

  it("stays at zero after the end", () => {
    expect(countdown(0, 1000, 5000)).toEqual({ leftMs: 0, fraction: 0, text: "time is up", tone: "over" });
  });

  it("is full before the announcement, and empty if it has no duration", () => {
    expect(countdown(1000, 2000, 0).fraction).toBe(1);
    expect(countdown(1000, 1000, 1000).fraction).toBe(0);
  });
});

describe("durationText", () => {
  it.each([
    [400, "1 s"],
    [59_999, "59 s"],
    [minute, "1 min"],
    [59.9 * minute, "59 min"],
    [60 * minute, "1 h"],
    [125 * minute, "2 h 5 min"],
    [25 * 60 * minute, "1 day 1 h"],
    [48 * 60 * minute, "2 days"],
  ])("formats %d ms as %s", (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});

it("elapsedText formats an elapsed time", () => {
  expect([elapsedText(340), elapsedText(1234), elapsedText(12_000)]).toEqual(["340 ms", "1.2 s", "12 s"]);
});

it("agoText formats a time in the past", () => {
  expect([agoText(0, 10_000), agoText(0, 5 * minute)]).toEqual(["just now", "5 min ago"]);
});

import { numbers } from "../../words/locale.js";
import { words } from "../../words/words.js";

/** The time left. */
export interface Countdown {
  leftMs: number;
  /** The share of the whole time that is left, 0 to 1. */
  fraction: number;
  text: string;
  tone: "calm" | "soon" | "last" | "over";
}

/** Below this share of the whole time, and in any case in the last minutes, the countdown is highlighted. */
const soonFraction = 0.2;
const soonMs = 120_000;
const lastMs = 30_000;

/** The time left between start and end, all in milliseconds since 1970. */
export function countdown(startMs: number, endMs: number, nowMs: number): Countdown {
  const leftMs = Math.max(0, endMs - nowMs);
  const wholeMs = Math.max(1, endMs - startMs);
  const fraction = Math.min(1, leftMs / wholeMs);
  return {
    leftMs,
    fraction,
    text: leftMs === 0 ? words.time.isUp : words.time.left(leftText(leftMs)),
    tone: toneOf(leftMs, fraction),
  };
}

function toneOf(leftMs: number, fraction: number): Countdown["tone"] {
  if (leftMs === 0) return "over";
  if (leftMs <= lastMs) return "last";
  return leftMs <= soonMs || fraction <= soonFraction ? "soon" : "calm";
}

/** A duration, rounded up: thirty minutes are given, and not twenty-nine. */
export function leftText(ms: number): string {
  const unit = ms < minute ? 1000 : minute;
  return durationText(Math.ceil(ms / unit) * unit);
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A duration in one or two units, rounded down, such as "2 h 5 min". */
export function durationText(ms: number): string {
  const { seconds, minutes, hours, days } = words.time;
  if (ms < minute) return seconds(String(Math.max(1, Math.floor(ms / 1000))));
  if (ms < hour) return minutes(Math.floor(ms / minute));
  return ms < day ? twoUnits(ms, [hour, hours], [minute, minutes]) : twoUnits(ms, [day, days], [hour, hours]);
}

/** An elapsed time, such as "1.2 s" or "340 ms". */
export function elapsedText(ms: number): string {
  if (ms < 1000) return words.time.milliseconds(Math.max(0, Math.round(ms)));
  if (ms >= 10_000) return durationText(ms);
  return words.time.seconds((ms / 1000).toFixed(1).replace(".", numbers.decimal));
}

/** A time in the past, such as "5 min ago". */
export function agoText(thenMs: number, nowMs: number): string {
  const ms = nowMs - thenMs;
  return ms < minute ? words.time.justNow : words.time.ago(durationText(ms));
}

type Unit = readonly [ms: number, text: (count: number) => string];

function twoUnits(ms: number, [large, largeText]: Unit, [small, smallText]: Unit): string {
  const rest = Math.floor((ms % large) / small);
  return [largeText(Math.floor(ms / large)), ...(rest > 0 ? [smallText(rest)] : [])].join(" ");
}

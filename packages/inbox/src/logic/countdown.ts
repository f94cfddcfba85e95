/** How much time is left, for a ring and for words. */
export interface Countdown {
  leftMs: number;
  /** What is left of the whole time, 0 to 1. */
  fraction: number;
  words: string;
  tone: "calm" | "soon" | "over";
}

/** Below this part of the whole time, the time left is worth a colour. */
const soonFraction = 0.2;

/** Time left between the announcement and the end, both in milliseconds since 1970. */
export function countdown(startMs: number, endMs: number, nowMs: number): Countdown {
  const leftMs = Math.max(0, endMs - nowMs);
  const wholeMs = Math.max(1, endMs - startMs);
  const fraction = Math.min(1, leftMs / wholeMs);
  const tone = leftMs === 0 ? "over" : fraction <= soonFraction ? "soon" : "calm";
  return { leftMs, fraction, words: leftMs === 0 ? "time is up" : `${durationWords(leftMs)} left`, tone };
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A length of time in one or two units, rounded down, as in "2 h 5 min". */
export function durationWords(ms: number): string {
  if (ms < minute) return `${Math.max(1, Math.floor(ms / 1000))} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  if (ms < day) return twoUnits(ms, hour, "h", minute, "min");
  return twoUnits(ms, day, Math.floor(ms / day) === 1 ? "day" : "days", hour, "h");
}

/** How long something took: "1.2 s", "340 ms". */
export function tookWords(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : durationWords(ms);
}

/** How long ago, as in "5 min ago". */
export function agoWords(thenMs: number, nowMs: number): string {
  const ms = nowMs - thenMs;
  return ms < minute ? "just now" : `${durationWords(ms)} ago`;
}

function twoUnits(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ""}`;
}

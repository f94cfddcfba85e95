import { words } from "../../words/words.js";
import { exactTime } from "../wording/exact-time.js";

/** A time until which a call can be put aside. */
export interface SnoozeChoice {
  until: string;
  text: string;
}

const minute = 60_000;
/** The time to decide that is left after the latest choice. The server asks for less. */
const leftMs = 10 * minute;
/** A choice nearer than this is not worth the trouble. */
const nearestMs = 5 * minute;
/** How far ahead the choice for today is, at least. The first that fits is offered: full hours are easiest to remember. */
const ahead = [
  { stepMs: 60 * minute, atLeastMs: 45 * minute },
  { stepMs: 15 * minute, atLeastMs: 25 * minute },
  { stepMs: 5 * minute, atLeastMs: 10 * minute },
];
const morning = 9;

/** The times until which a call can be put aside before its deadline, soonest first. Times of day are the reader's. */
export function snoozeChoices(expiresAt: string | null, nowMs: number): SnoozeChoice[] {
  if (expiresAt === null) return [];
  const latestMs = Date.parse(expiresAt) - leftMs;
  const tomorrowMs = tomorrowAt(morning, nowMs);
  const laterMs = ahead
    .map(({ stepMs, atLeastMs }) => nextStep(nowMs + atLeastMs, stepMs))
    .find((at) => at < latestMs);
  const timeOf = (at: number, fromMs = nowMs) => exactTime(new Date(at).toISOString(), fromMs, "minute");
  const { until, tomorrow, beforeEnd } = words.lists.snooze;
  const choices = [
    { at: laterMs, textOf: (at: number) => until(timeOf(at)) },
    {
      at: tomorrowMs < latestMs ? tomorrowMs : undefined,
      textOf: (at: number) => tomorrow(timeOf(at, at)),
    },
    { at: latestMs, textOf: (at: number) => beforeEnd(timeOf(at)) },
  ];
  return choices.flatMap(({ at, textOf }) =>
    at !== undefined && at >= nowMs + nearestMs
      ? [{ until: new Date(at).toISOString(), text: textOf(at) }]
      : [],
  );
}

/** The next full step of the reader's clock, such as a full hour. Some time zones differ from UTC by half an hour. */
function nextStep(fromMs: number, stepMs: number): number {
  const offsetMs = new Date(fromMs).getTimezoneOffset() * minute;
  return Math.ceil((fromMs - offsetMs) / stepMs) * stepMs + offsetMs;
}

function tomorrowAt(hour: number, nowMs: number): number {
  const day = new Date(nowMs);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1, hour).getTime();
}

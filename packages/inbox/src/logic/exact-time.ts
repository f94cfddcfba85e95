// Made once: making one takes longer than all else that a row of the list needs, and each row would, every second.
const timeOfDay = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const day = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });

/** A moment as the reader's own clock shows it, with the date unless it is today. */
export function exactTime(iso: string, nowMs: number = Date.now()): string {
  const date = new Date(iso);
  const time = timeOfDay.format(date);
  return date.toDateString() === new Date(nowMs).toDateString() ? time : `${day.format(date)}, ${time}`;
}

// Created once and lazily: creating a formatter is slower than rendering a row.
let formats: { timeOfDay: Intl.DateTimeFormat; day: Intl.DateTimeFormat } | undefined;

function makeFormats() {
  return {
    timeOfDay: new Intl.DateTimeFormat(undefined, {
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    }),
    day: new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" }),
  };
}

/** A time in the reader's time zone, with the date unless it is today. */
export function exactTime(iso: string, nowMs: number = Date.now()): string {
  formats ??= makeFormats();
  const { timeOfDay, day } = formats;
  const date = new Date(iso);
  const time = timeOfDay.format(date);
  return date.toDateString() === new Date(nowMs).toDateString() ? time : `${day.format(date)}, ${time}`;
}

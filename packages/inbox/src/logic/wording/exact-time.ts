// Created once and lazily: creating a formatter is slower than rendering a row.
let formats: Record<"second" | "minute" | "zone" | "day", Intl.DateTimeFormat> | undefined;

function makeFormats() {
  const toMinute = { hour: "2-digit", minute: "2-digit" } as const;
  return {
    second: new Intl.DateTimeFormat(undefined, { ...toMinute, second: "2-digit" }),
    minute: new Intl.DateTimeFormat(undefined, toMinute),
    zone: new Intl.DateTimeFormat(undefined, { ...toMinute, timeZoneName: "short" }),
    day: new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" }),
  };
}

/** A time in the reader's time zone, which is named if `precision` says so, with the date unless it is today. */
export function exactTime(
  iso: string,
  nowMs: number = Date.now(),
  precision: "second" | "minute" | "zone" = "second",
): string {
  formats ??= makeFormats();
  const date = new Date(iso);
  const time = formats[precision].format(date);
  return date.toDateString() === new Date(nowMs).toDateString()
    ? time
    : `${formats.day.format(date)}, ${time}`;
}

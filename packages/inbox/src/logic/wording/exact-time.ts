import { locale } from "../../words/locale.js";

// Created once and lazily: creating a formatter is slower than rendering a row.
let formats: ReturnType<typeof makeFormats> | undefined;

function makeFormats() {
  const { hour12 } = new Intl.DateTimeFormat(locale, { hour: "numeric" }).resolvedOptions();
  const toMinute = { hour: hour12 ? "numeric" : "2-digit", minute: "2-digit" } as const;
  return {
    locale,
    second: new Intl.DateTimeFormat(locale, { ...toMinute, second: "2-digit" }),
    minute: new Intl.DateTimeFormat(locale, toMinute),
    zone: new Intl.DateTimeFormat(locale, { ...toMinute, timeZoneName: "short" }),
    day: new Intl.DateTimeFormat(locale, { year: "numeric", month: "short", day: "numeric" }),
  };
}

/** A time in the reader's time zone, which is named if `precision` says so, with the date unless it is today. */
export function exactTime(
  iso: string,
  nowMs: number = Date.now(),
  precision: "second" | "minute" | "zone" = "second",
): string {
  if (formats?.locale !== locale) formats = makeFormats();
  const date = new Date(iso);
  const time = formats[precision].format(date);
  return date.toDateString() === new Date(nowMs).toDateString()
    ? time
    : `${formats.day.format(date)}, ${time}`;
}

/** A moment as the reader's own clock shows it, with the date unless it is today. */
export function exactTime(iso: string, nowMs: number = Date.now()): string {
  const date = new Date(iso);
  const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  if (date.toDateString() === new Date(nowMs).toDateString()) return time.format(date);
  const day = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });
  return `${day.format(date)}, ${time.format(date)}`;
}

/** Texts of durations and times. Durations are given as text. */
export const time = {
  milliseconds: (count: number) => `${count} ms`,
  seconds: (count: string) => `${count} s`,
  minutes: (count: number) => `${count} min`,
  hours: (count: number) => `${count} h`,
  days: (count: number) => `${count} ${count === 1 ? "day" : "days"}`,
  left: (duration: string) => `${duration} left`,
  isUp: "time is up",
  ago: (duration: string) => `${duration} ago`,
  justNow: "just now",
  expires: (time: string) => `Expires ${time}`,
  /** A time in the reader's time zone, beside the time as it is sent. */
  here: (time: string) => `${time} here`,
};

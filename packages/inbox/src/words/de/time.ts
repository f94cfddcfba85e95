import type { Words } from "../words.js";

export const time: Words["time"] = {
  milliseconds: (count) => `${count} ms`,
  seconds: (count) => `${count} Sek.`,
  minutes: (count) => `${count} Min.`,
  hours: (count) => `${count} Std.`,
  days: (count) => `${count} ${count === 1 ? "Tag" : "Tage"}`,
  left: (duration) => `noch ${duration}`,
  isUp: "Zeit abgelaufen",
  // Only days have another form in the dative.
  ago: (duration) => `vor ${duration.replace("Tage", "Tagen")}`,
  justNow: "gerade eben",
  expires: (time) => `Läuft ab: ${time}`,
  here: (time) => `${time} in Ihrer Zeitzone`,
};

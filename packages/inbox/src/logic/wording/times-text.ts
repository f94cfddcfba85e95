import { numberText } from "@countersign/policy/display";
import { numbers } from "../../words/locale.js";

/** From this many times the median on, a number is unusual. */
export const unusual = 3;

/** How many times the median a number is, such as "8" or "3.4". */
export function timesText(times: number): string {
  const rounded = times >= 10 ? Math.round(times) : Number(times.toPrecision(2));
  return numberText("", rounded, numbers);
}

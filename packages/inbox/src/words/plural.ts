import { countNumber } from "./locale.js";

/** A number with its noun, for languages with two forms: "1 call", "2,400 calls". */
export function counted(count: number, one: string, others: string): string {
  return `${countNumber(count)} ${count === 1 ? one : others}`;
}

import { checkedDurationMs } from "../../shared/duration.js";
import { type Risk, risks } from "./rule.js";

// How the values of a term become one. There is at least one value, and they are in the order of their rules.

/** A term whose lowest value wins. A thread's rule must not raise it above the default. */
export function lowestOf<Written>(byDefault: number, numberOf: (written: Written) => number) {
  return {
    default: byDefault,
    merge: (values: readonly Written[]) => Math.min(...values.map(numberOf)),
    tightens: (value: Written) => numberOf(value) <= byDefault,
  };
}

export function shortest(durations: readonly string[]): number {
  return Math.min(...durations.map(checkedDurationMs));
}

export function highestRisk(found: readonly Risk[]): Risk {
  return found.reduce((top, risk) => (isLowerRisk(top, risk) ? risk : top));
}

export function isLowerRisk(risk: Risk, than: Risk): boolean {
  return risks.indexOf(risk) < risks.indexOf(than);
}

/** The items that all lists have. */
export function inCommon<Item extends string>(lists: readonly (readonly Item[])[]): Item[] {
  const [list = [], ...others] = lists;
  return [...new Set(list.filter((item) => others.every((other) => other.includes(item))))].sort();
}

/** Where code stands among the arguments, and the object by which it calls tools. */
type CodePlace = { field: string; object: string };

/** Where tools of an MCP bridge have their script, and the object by which it calls other tools. */
export const bridgeCodePreview: CodePlace = { field: "code", object: "codemode" };

/** The bridge's place comes last, because no rule has to name it. */
export function firstCodePlace(places: readonly CodePlace[]): CodePlace {
  return places.reduce((top, place) => (placeOrder(place) < placeOrder(top) ? place : top));
}

function placeOrder({ field, object }: CodePlace): string {
  const isDefault = field === bridgeCodePreview.field && object === bridgeCodePreview.object;
  return JSON.stringify([isDefault, field, object]);
}

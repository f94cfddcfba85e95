import type { Approval } from "../../api/approval.js";

type Effect = NonNullable<Approval["preview"]>["effects"][number];

/** The place of the warnings about what a call would change. It begins with a character that no name of an argument has. */
export const effectsPlace = "\0effects";

/** The place of one effect or of one of its values, beside the paths of the arguments. */
export function effectPlace(index: number, side?: "before" | "after"): string {
  return [effectsPlace, index, ...(side ? [side] : [])].join(".");
}

/** Whether a place belongs to the effects. */
export function isEffectPlace(place: string): boolean {
  return place === effectsPlace || place.startsWith(`${effectsPlace}.`);
}

/** Whether an effect has a value before or after the call. */
export function hasValues({ before, after }: Effect): boolean {
  return (before ?? after ?? null) !== null;
}

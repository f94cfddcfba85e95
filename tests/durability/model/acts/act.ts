import type { ApprovalStatus, Principal } from "countersign";
import fc from "fast-check";
import { type Call, type Model, mayDecide, maySee } from "../model.js";
import { people } from "../people.js";
import type { World } from "../world.js";

/** One thing that somebody does, the same in the model and in the real world. */
export interface Act {
  name: string;
  /** The call that it is about, where it is about one. */
  call?: string;
  /** Does it in the model, and says what must come of it. */
  predict(model: Model): unknown;
  /** Does it for real, and says what came of it. */
  perform(world: World): Promise<unknown>;
}

/** What a claim comes to that lets the handler start. */
export const claimed = "claimed";

/** What to do as things stand; `undefined` where there is nothing to do it to. */
export type Choice = (model: Model) => Act | undefined;

/** A number by which something is chosen from what is there. */
export const aim = fc.nat({ max: 999 });

/** A recent call; of eight choices, seven go only to calls with which something is likely to happen. */
export function chooseCall(
  model: Model,
  number: number,
  isLikely: (call: Call) => boolean,
): Call | undefined {
  const all = [...model.calls.values()].reverse();
  const from = number % 8 > 0 ? all.filter(isLikely) : all;
  return from[Math.floor(number / 8) % Math.min(from.length, 5)];
}

/** True for calls in one of these states. */
export function inState(...statuses: ApprovalStatus[]): (call: Call) => boolean {
  return ({ status }) => statuses.includes(status);
}

/**
 * Somebody; of eight choices, two go to whoever has it assigned and whoever assigned it, and five to people who may
 * decide it, or at least see it.
 */
export function choosePerson(call: Call, number: number): Principal {
  const partners = people.filter(
    ({ id, tenantId }) => tenantId === call.tenant && (id === call.assignee || id === call.assignedBy),
  );
  if (number % 8 > 5 && partners.length > 0) return choose(partners, Math.floor(number / 8));
  const involved = people.filter((person) => (number % 8 < 6 ? mayDecide : maySee)(call, person));
  const from = number % 8 > 0 && involved.length > 0 ? involved : people;
  return choose(from, Math.floor(number / 8));
}

export function choose<Item>(from: readonly Item[], number: number): Item {
  const item = from[number % from.length];
  if (item === undefined) throw new Error("There is nothing to choose from");
  return item;
}

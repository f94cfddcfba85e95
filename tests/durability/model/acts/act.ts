import type { ApprovalStatus, Principal } from "countersign";
import fc from "fast-check";
import { type Call, type Model, mayDecide, maySee } from "../model.js";
import { people } from "../people.js";
import type { World } from "../world.js";

/** One act that is carried out both in the model and in the real system. */
export interface Act {
  name: string;
  /** The call that the act concerns, if any. */
  call?: string;
  /** Carries the act out in the model, and returns the expected result. */
  predict(model: Model): unknown;
  /** Carries the act out in the real system, and returns the result. */
  perform(world: World): Promise<unknown>;
}

/** The result of a claim that lets the handler start. */
export const claimed = "claimed";

/** Chooses an act in the model's present state; `undefined` if there is nothing to act on. */
export type Choice = (model: Model) => Act | undefined;

/** A number that selects one of the present items. */
export const aim = fc.nat({ max: 999 });

/** Chooses a recent call; seven of eight choices take only calls for which `isLikely` is true. */
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
 * Chooses a person. Of eight choices, two take the assignee or the assigner of the call, and five take people who may
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

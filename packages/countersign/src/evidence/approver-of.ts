import type { Approver } from "../approval/approval-basis.js";
import type { SignedClaims } from "./evidence-claims.js";

/** The signed-in person, with their id and roles at the time. */
export function approverOf({
  principalId,
  roles,
  onBehalfOf,
  iat,
}: Pick<SignedClaims["evidence"], "principalId" | "roles" | "onBehalfOf" | "iat">): Approver {
  return { id: principalId, roles, onBehalfOf: onBehalfOf ?? null, at: Math.round(iat * 1000) };
}

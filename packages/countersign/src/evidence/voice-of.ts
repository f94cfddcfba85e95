import type { Voice } from "../approval/backing.js";
import type { SignedClaims } from "./evidence-claims.js";

/** The signed-in person, with their id and roles at the time. */
export function voiceOf({
  principalId,
  roles,
  onBehalfOf,
  iat,
}: Pick<SignedClaims["evidence"], "principalId" | "roles" | "onBehalfOf" | "iat">): Voice {
  return { id: principalId, roles, onBehalfOf: onBehalfOf ?? null, at: Math.round(iat * 1000) };
}

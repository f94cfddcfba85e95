import type { Principal } from "countersign";

const person = (id: string, roles: string[], tenantId = "acme"): Principal => ({ id, tenantId, roles });

/** The people by bearer token. Ada is the requester; Mallory belongs to another tenant. */
export const people = {
  ada: person("ada", ["finance"]),
  ben: person("ben", ["finance"]),
  eve: person("eve", ["finance"]),
  cleo: person("cleo", ["lead"]),
  dan: person("dan", ["lead"]),
  victor: person("victor", ["visitor"]),
  auditor: person("auditor", ["auditor"]),
  mallory: person("mallory", ["finance"], "other"),
} satisfies Record<string, Principal>;

export type PersonId = keyof typeof people;

/** The requester, who may not approve her own calls. */
export const requester: PersonId = "ada";

/** The approvers, who may decide every gated call. */
export const approvers = ["ben", "eve", "cleo", "dan"] as const satisfies PersonId[];

/** The board's name of a person. */
export const memberName = (who: PersonId): string => `board-${who}`;

/** The person whom the board names. */
export function memberOf(member: string): Principal | null {
  return member.startsWith("board-") ? personOf(member.slice("board-".length)) : null;
}

/** The person whom a bearer token names. */
export function personOf(token: string): Principal | null {
  return Object.hasOwn(people, token) ? people[token as PersonId] : null;
}

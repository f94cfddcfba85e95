import type { Principal } from "countersign";

const person = (id: string, roles: string[], tenantId = "acme"): Principal => ({ id, tenantId, roles });

/** Who signs in, by bearer token. Ada asks the agents to act; Mallory is of another tenant. */
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

/** Who asks the agents to act; may approve nothing of that. */
export const requester: PersonId = "ada";

/** Those who may decide every gated call. */
export const approvers = ["ben", "eve", "cleo", "dan"] as const satisfies PersonId[];

/** How the board names a person. */
export const memberName = (who: PersonId): string => `board-${who}`;

/** Whoever the board means. */
export function memberOf(member: string): Principal | null {
  return member.startsWith("board-") ? personOf(member.slice("board-".length)) : null;
}

/** Whoever a bearer token names. */
export function personOf(token: string): Principal | null {
  return Object.hasOwn(people, token) ? people[token as PersonId] : null;
}

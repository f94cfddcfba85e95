import type { Principal } from "countersign";

/** Everybody here works for the same shop. */
export const demoTenant = "demo";

/** Everybody's role by their id. Finance has two people. */
const roles = {
  requester: "requester",
  finance: "finance",
  accountant: "finance",
  lead: "lead",
  legal: "legal",
  admin: "admin",
};

const principals = new Map<string, Principal>(
  Object.entries(roles).map(([id, role]) => [
    `demo-${id}`,
    {
      id,
      tenantId: demoTenant,
      roles: [role],
      displayName: `${id.charAt(0).toUpperCase()}${id.slice(1)}`,
    },
  ]),
);

/** The tokens that sign in, for the demo only: each is also the whole secret. */
export const demoTokens = [...principals.keys()];

/** Everybody of the demo, to whom somebody of it can pass a call on. */
export function colleaguesOf({ tenantId }: Principal): Principal[] {
  return [...principals.values()].filter((person) => person.tenantId === tenantId);
}

/** Who has this token; `null` if nobody. */
export function personWith(token: string): Principal | null {
  return principals.get(token) ?? null;
}

/** Who sent this request, by its bearer token; `null` if nobody we know. */
export function authenticate(request: Request): Principal | null {
  const [, token] = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  return personWith(token ?? "");
}

import type { Principal } from "countersign";

/** The tenant of all people in the demo. */
export const demoTenant = "demo";

/** Role by id. Finance has two people. */
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

/** The tokens that sign in. For the demo only. */
export const demoTokens = [...principals.keys()];

/** The people to whom a call can be assigned. */
export function colleaguesOf({ tenantId }: Principal): Principal[] {
  return [...principals.values()].filter((person) => person.tenantId === tenantId);
}

/** The person with this id, or `null`. */
export function personCalled(id: string): Principal | null {
  return principals.get(`demo-${id}`) ?? null;
}

/** The principal with this token, or `null`. */
export function personWith(token: string): Principal | null {
  return principals.get(token) ?? null;
}

/** Authenticates a request by its bearer token. `null` if the token is unknown. */
export function authenticate(request: Request): Principal | null {
  const [, token] = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  return personWith(token ?? "");
}

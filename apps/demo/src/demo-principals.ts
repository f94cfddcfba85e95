import type { Principal } from "countersign";

/** Everybody here works for the same shop. */
export const demoTenant = "demo";

const names = ["requester", "finance", "lead", "admin"] as const;

const principals = new Map<string, Principal>(
  names.map((name) => [
    `demo-${name}`,
    {
      id: name,
      tenantId: demoTenant,
      roles: [name],
      displayName: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    },
  ]),
);

/** The tokens that sign in, for the demo only: each is also the whole secret. */
export const demoTokens = [...principals.keys()];

/** Who sent this request, by its bearer token; `null` if nobody we know. */
export function authenticate(request: Request): Principal | null {
  const [, token] = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  return principals.get(token ?? "") ?? null;
}

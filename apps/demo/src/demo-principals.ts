import type { Principal } from "countersign";
import { z } from "zod";

/** A principal as it travels in the demo's own event, from one request of this process to a later one. */
export const principalSchema: z.ZodType<Principal> = z.object({
  id: z.string().min(1),
  tenantId: z.string().min(1),
  roles: z.array(z.string()),
  displayName: z.string().optional(),
});

const names = ["requester", "finance", "lead", "admin"] as const;

const principals = new Map<string, Principal>(
  names.map((name) => [
    `demo-${name}`,
    {
      id: name,
      tenantId: "demo",
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

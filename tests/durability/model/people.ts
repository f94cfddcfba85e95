import type { Principal } from "countersign";

export const tenants = ["acme", "zinc"] as const;

/** The principals: some are requesters, most have roles, one has none, and two belong to another tenant. */
export const people: readonly Principal[] = [
  { id: "rita", tenantId: "acme", roles: ["finance"] },
  { id: "finn", tenantId: "acme", roles: ["finance"] },
  { id: "fay", tenantId: "acme", roles: ["finance", "lead"] },
  { id: "leo", tenantId: "acme", roles: ["lead"] },
  { id: "gus", tenantId: "acme", roles: [] },
  { id: "finn", tenantId: "zinc", roles: ["finance"] },
  { id: "zoe", tenantId: "zinc", roles: ["lead"] },
];

/** A person with their tenant, since the same id may mean two people. */
export function nameOf({ id, tenantId }: Principal): string {
  return `${id}@${tenantId}`;
}

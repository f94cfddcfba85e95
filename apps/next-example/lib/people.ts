import type { Principal } from "countersign";

/** The app's users. Yours come from your identity provider or database. */
export const people: Readonly<Record<string, Principal>> = {
  rita: { id: "rita", tenantId: "acme", roles: ["support"], displayName: "Rita (support)" },
  finn: { id: "finn", tenantId: "acme", roles: ["finance"], displayName: "Finn (finance)" },
};

import { isDeepStrictEqual } from "node:util";
import type { Grant } from "../approval/grant.js";
import type { SignedClaims } from "./evidence-claims.js";
import type { EvidenceReader } from "./evidence-signer.js";
import { signedTime } from "./signed-time.js";

/** The fields of a grant's row that a signature covers. Uses, revocation and what was spent are read from the log. */
export type SignedGrant = Pick<
  Grant,
  | "id"
  | "tenantId"
  | "approvalId"
  | "scope"
  | "scopeId"
  | "toolName"
  | "toolVersion"
  | "inputHash"
  | "condition"
  | "authorSeesAll"
  | "rerun"
  | "budget"
  | "grantedBy"
  | "grantedRoles"
  | "expiresAt"
> & { token: string | null };

export type CheckedGrant = { ok: true; claims: SignedClaims["grant"] } | { ok: false; field: string };

/** Compares a grant's row with its signed claims. Returns the first field that differs. */
export async function checkGrant(row: SignedGrant, reader: EvidenceReader): Promise<CheckedGrant> {
  if (row.token === null) return { ok: false, field: "token" };
  const reading = await reader.read("grant", row.token);
  if (!reading.ok) return reading;
  const { claims } = reading;
  const differing = (
    [
      ...(["id", "tenantId", "approvalId", "scope", "scopeId", "toolName", "toolVersion"] as const),
      ...(["inputHash", "condition", "authorSeesAll", "rerun"] as const),
    ] as const
  ).find((field) => row[field] !== claims[field]);
  if (differing) return { ok: false, field: differing };
  if (!isDeepStrictEqual(row.budget, claims.budget ?? null)) return { ok: false, field: "budget" };
  if (row.grantedBy !== claims.principalId) return { ok: false, field: "grantedBy" };
  if (row.grantedRoles.join("\0") !== claims.roles.join("\0")) return { ok: false, field: "grantedRoles" };
  if (row.expiresAt.getTime() !== signedTime(claims.exp).getTime()) return { ok: false, field: "expiresAt" };
  return { ok: true, claims };
}

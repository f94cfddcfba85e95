import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import type { VerifiedPrincipal } from "@countersign/policy/internal/shared/principal";
import { identifierSchema, verifiedPrincipal } from "@countersign/policy/internal/shared/principal";
import { ownField } from "@countersign/policy/internal/shared/value-at-path";
import { Refused } from "./authenticator.js";

/**
 * Where to read a value in a verified token: a claim name (`"sub"`, `"https://example.com/roles"`), a dotted path
 * into nested claims (`"realm_access.roles"`), or a function of all claims.
 */
export type Claim = string | ((claims: Readonly<Record<string, unknown>>) => unknown);

/** Maps a verified token's claims to a principal. */
export interface PrincipalClaims {
  /** The principal's id. @default "sub" */
  id?: Claim | undefined;
  /** A claim, or `{ constant: "acme" }` if all tokens of the issuer belong to one tenant. */
  tenantId: Claim | { constant: string };
  /**
   * A claim with an array of strings. A token without it is rejected. If the issuer omits the claim for people
   * without roles, use `(claims) => claims.roles ?? []`. @default nobody has roles
   */
  roles?: Claim | undefined;
  /** For display only. Optional in the token. */
  displayName?: Claim | undefined;
}

export function checkPrincipalClaims(claims: PrincipalClaims | undefined): void {
  if (typeof claims !== "object" || claims === null) {
    throw wrongOption(
      "claims",
      `is required: name the claim with the tenant, for example { tenantId: "org_id" }`,
    );
  }
  const { tenantId } = claims;
  if (typeof tenantId === "object" && tenantId !== null) {
    if (!identifierSchema.safeParse(tenantId.constant).success) {
      throw wrongOption("claims.tenantId", `constant must be a tenant id, as in { constant: "acme" }`);
    }
  } else if (!isClaim(tenantId)) {
    throw wrongOption(
      "claims.tenantId",
      `is required: the name of the tenant claim ("org_id"), a function, or { constant: "acme" }`,
    );
  }
  for (const name of ["id", "roles", "displayName"] as const) {
    if (claims[name] !== undefined && !isClaim(claims[name])) {
      throw wrongOption(`claims.${name}`, "must be the name or path of a claim, or a function of the claims");
    }
  }
}

export function principalOfClaims(
  from: PrincipalClaims,
  payload: Readonly<Record<string, unknown>>,
): VerifiedPrincipal {
  const displayName = from.displayName === undefined ? undefined : claimOf(from.displayName, payload);
  const principal = verifiedPrincipal({
    id: required(claimOf(from.id ?? "sub", payload)),
    tenantId:
      typeof from.tenantId === "object" ? from.tenantId.constant : required(claimOf(from.tenantId, payload)),
    roles: from.roles === undefined ? [] : required(claimOf(from.roles, payload)),
    ...(displayName === undefined || displayName === null || displayName === "" ? {} : { displayName }),
  });
  if (!principal) throw new Refused("unusable_principal");
  return principal;
}

function claimOf(claim: Claim, payload: Readonly<Record<string, unknown>>): unknown {
  if (typeof claim === "function") {
    try {
      return claim(payload);
    } catch {
      throw new Refused("unusable_principal");
    }
  }
  // Try the exact name first: issuers name custom claims by URLs, which contain dots.
  if (Object.hasOwn(payload, claim)) return payload[claim];
  const found = ownField(payload, claim);
  return found.found ? found.value : undefined;
}

function required(value: unknown): unknown {
  if (value === undefined || value === null) throw new Refused("missing_claim");
  return value;
}

function isClaim(value: unknown): value is Claim {
  return typeof value === "function" || isText(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

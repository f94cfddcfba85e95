import { ownField } from "../policy/own-field.js";
import type { Principal } from "../principal.js";
import { Refused } from "./authenticator.js";
import { wrongOption } from "./options.js";
import { verifiedPrincipal } from "./verified-principal.js";

/**
 * Where a verified token says something: the name of a claim (`"sub"`, `"https://example.com/roles"`), a dotted path
 * into nested ones (`"realm_access.roles"`), or a function of all claims.
 */
export type Claim = string | ((claims: Readonly<Record<string, unknown>>) => unknown);

/** How a verified token's claims become a principal. */
export interface PrincipalClaims {
  /** Left out: `"sub"`. */
  id?: Claim | undefined;
  /** A claim, or `{ constant: "acme" }` where all tokens of the issuer belong to one tenant. */
  tenantId: Claim | { constant: string };
  /**
   * A claim with an array of strings; a token without it is refused. Where an issuer leaves the claim out for people
   * without roles, say so: `(claims) => claims.roles ?? []`. Left out: nobody has roles.
   */
  roles?: Claim | undefined;
  /** For people only; a token may lack it. */
  displayName?: Claim | undefined;
}

export function checkPrincipalClaims(claims: PrincipalClaims | undefined): void {
  if (typeof claims !== "object" || claims === null) {
    throw wrongOption("claims", `say where tokens name the tenant, for example { tenantId: "org_id" }`);
  }
  const { tenantId } = claims;
  if (typeof tenantId === "object" && tenantId !== null) {
    if (!isText(tenantId.constant)) {
      throw wrongOption("claims.tenantId", `the constant must be a tenant's id, as in { constant: "acme" }`);
    }
  } else if (!isClaim(tenantId)) {
    throw wrongOption(
      "claims.tenantId",
      `is required: the claim that names the tenant ("org_id"), a function, or { constant: "acme" }`,
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
): Principal {
  const displayName = from.displayName === undefined ? undefined : claimOf(from.displayName, payload);
  const principal = verifiedPrincipal({
    id: required(claimOf(from.id ?? "sub", payload)),
    tenantId:
      typeof from.tenantId === "object" ? from.tenantId.constant : required(claimOf(from.tenantId, payload)),
    roles: from.roles === undefined ? [] : required(claimOf(from.roles, payload)),
    ...(displayName === undefined || displayName === null ? {} : { displayName }),
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
  // Names come first, since issuers use URLs as names of their own claims, and those have dots.
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

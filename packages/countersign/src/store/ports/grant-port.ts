// Do not import Drizzle here: public declarations include this file.

import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Grant } from "../../approval/grant.js";

export interface GrantFilter {
  tenantId: string;
  /** Only what this principal may see: given by them, for them, or theirs to decide. */
  visibleTo?: Principal;
  /** Only live grants. */
  live?: boolean;
  limit: number;
  /** Everything after this one, newest first. */
  after?: { at: Date; id: string };
}

/** The result of a revocation. An ended grant may be revoked too, and stays revoked. */
export type RevokeResult =
  | { outcome: "revoked" | "repeated" | "forbidden"; grant: Grant }
  | { outcome: "not_found" };

/** Standing approvals. */
export interface GrantPort {
  /** Grants, newest first. */
  listGrants(filter: GrantFilter): Promise<Grant[]>;
  /** A grant that this principal may see. */
  getGrant(principal: Principal, grantId: string): Promise<Grant | undefined>;
  /** Revokes a grant at once. Calls that it approved and that have not started do not start. */
  revokeGrant(principal: Principal, grantId: string): Promise<RevokeResult>;
}

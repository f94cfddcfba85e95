import type { Scopes } from "../scopes.js";
import { threadsChangedSince } from "./changed-threads.js";
import { countApprovals } from "./count.js";
import { listApprovals } from "./list.js";
import { readApproval } from "./read-approval.js";
import type { ReadingPort } from "./reading-port.js";
import { statistics } from "./statistics.js";

/** Lists and counts approvals. */
export function readingVerbs({ inTenant, asSystem }: Scopes): ReadingPort {
  return {
    getApproval: (tenantId, approvalId) => inTenant(tenantId, (tx) => readApproval(tx, tenantId, approvalId)),
    listApprovals: (filter) => inTenant(filter.tenantId, (tx) => listApprovals(tx, filter)),
    countApprovals: (filter) => inTenant(filter.tenantId, (tx) => countApprovals(tx, filter)),
    threadsChangedSince: (tenantId, after) =>
      inTenant(tenantId, (tx) => threadsChangedSince(tx, tenantId, after)),
    statistics: () => asSystem(statistics),
  };
}

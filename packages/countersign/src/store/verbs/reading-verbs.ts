import type { InsightPort } from "../ports/insight-port.js";
import type { ReadingPort } from "../ports/reading-port.js";
import { threadsChangedSince } from "../reading/changed-threads.js";
import { countApprovals, listFacets } from "../reading/count.js";
import { listDecided, readInsight } from "../reading/insight.js";
import { sameCalls } from "../reading/same-calls.js";
import { similarCalls } from "../reading/similar-calls.js";
import { statistics } from "../reading/statistics.js";
import { listApprovals } from "../rows/list.js";
import { readApproval } from "../rows/read-approval.js";
import type { Scopes } from "../scopes.js";

/** Lists and counts approvals, and what was decided about them. */
export function readingVerbs({ reading }: Scopes): ReadingPort & InsightPort {
  return {
    getApproval: (tenantId, approvalId) =>
      reading.inTenant(tenantId, (tx) => readApproval(tx, tenantId, approvalId)),
    listApprovals: (filter) => reading.inTenant(filter.tenantId, (tx) => listApprovals(tx, filter)),
    countApprovals: (filter) => reading.inTenant(filter.tenantId, (tx) => countApprovals(tx, filter)),
    similarCalls: (approval, reader, limit) =>
      reading.inTenant(approval.tenantId, (tx) => similarCalls(tx, approval, reader, limit)),
    sameCalls: (approval, reader) =>
      reading.inTenant(approval.tenantId, (tx) => sameCalls(tx, approval, reader)),
    listFacets: (filter) => reading.inTenant(filter.tenantId, (tx) => listFacets(tx, filter)),
    threadsChangedSince: (tenantId, after) =>
      reading.inTenant(tenantId, (tx) => threadsChangedSince(tx, tenantId, after)),
    readInsight: (filter) => reading.inTenant(filter.tenantId, (tx) => readInsight(tx, filter)),
    listDecided: (filter) => reading.inTenant(filter.tenantId, (tx) => listDecided(tx, filter)),
    statistics: () => reading.asSystem(statistics),
  };
}

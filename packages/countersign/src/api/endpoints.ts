/** An HTTP method that the API serves. */
export type Method = "get" | "post" | "put" | "delete";

/**
 * Every JSON endpoint, by its name in the client. Paths are relative to the API's mount path. `contract/` has their
 * schemas.
 */
export const endpoints = {
  health: { method: "get", path: "/healthz" },
  readiness: { method: "get", path: "/readyz" },
  me: { method: "get", path: "/me" },
  listApprovals: { method: "get", path: "/approvals" },
  countApprovals: { method: "get", path: "/approvals/counts" },
  listFacets: { method: "get", path: "/approvals/facets" },
  getApproval: { method: "get", path: "/approvals/:id" },
  listApprovalAudit: { method: "get", path: "/approvals/:id/audit" },
  listDeliveries: { method: "get", path: "/approvals/:id/deliveries" },
  replayDelivery: { method: "post", path: "/deliveries/:id/replay" },
  getEvidence: { method: "get", path: "/approvals/:id/evidence" },
  decide: { method: "post", path: "/approvals/:id/decision" },
  takeBack: { method: "post", path: "/approvals/:id/take-back" },
  checkEdit: { method: "post", path: "/approvals/:id/check" },
  assign: { method: "post", path: "/approvals/:id/assign" },
  listPeople: { method: "get", path: "/people" },
  setViewing: { method: "post", path: "/approvals/:id/viewing" },
  snooze: { method: "post", path: "/approvals/:id/snooze" },
  endSnooze: { method: "delete", path: "/approvals/:id/snooze" },
  extend: { method: "post", path: "/approvals/:id/extend" },
  resolve: { method: "post", path: "/approvals/:id/resolution" },
  undo: { method: "post", path: "/approvals/:id/undo" },
  undoMany: { method: "post", path: "/undos" },
  decideMany: { method: "post", path: "/decisions" },
  getRequest: { method: "get", path: "/requests/:id" },
  listQuestions: { method: "get", path: "/questions" },
  getInsight: { method: "get", path: "/insight" },
  listGrants: { method: "get", path: "/grants" },
  getGrant: { method: "get", path: "/grants/:id" },
  revokeGrant: { method: "post", path: "/grants/:id/revoke" },
  listStops: { method: "get", path: "/stops" },
  engageStop: { method: "post", path: "/stops" },
  releaseStop: { method: "post", path: "/stops/:id/release" },
  listThreads: { method: "get", path: "/threads" },
  getThread: { method: "get", path: "/threads/:id" },
  listAudit: { method: "get", path: "/audit" },
  verifyAudit: { method: "get", path: "/audit/verify" },
  explainPolicy: { method: "post", path: "/policy/explain" },
  getPreferences: { method: "get", path: "/preferences" },
  setPreferences: { method: "put", path: "/preferences" },
  getPush: { method: "get", path: "/push" },
  subscribeToPush: { method: "put", path: "/push/subscription" },
  unsubscribeFromPush: { method: "delete", path: "/push/subscription" },
  listPendingApprovals: { method: "get", path: "/approvals/pending" },
  approveTool: { method: "post", path: "/approve-tool" },
} as const satisfies Record<string, { method: Method; path: `/${string}` }>;

export type EndpointName = keyof typeof endpoints;

/** The query for the first page of pending approvals. */
export const firstPendingQuery = { status: "pending", sort: "expires", limit: 50 } as const;

/** The first requests of every page. The server adds preload links for them, so that they start before the scripts run. */
export const firstRequests = [
  "/me",
  `/approvals?${new URLSearchParams({ ...firstPendingQuery, limit: String(firstPendingQuery.limit) })}`,
] as const;

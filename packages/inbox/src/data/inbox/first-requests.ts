/** The query for the first page of the first list. */
export const firstListQuery = { list: "for_you", fields: "row", sort: "expires", limit: 50 } as const;

/** The first requests of every page. The server adds preload links for them, so that they start before the scripts run. */
export const firstRequests = [
  "/me",
  `/approvals?${new URLSearchParams({ ...firstListQuery, limit: String(firstListQuery.limit) })}`,
] as const;

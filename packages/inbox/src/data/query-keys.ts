/** Names of what is kept from the API. */
export const keys = {
  me: ["me"],
  waiting: ["waiting"],
  waitingSearch: (words: string) => ["waiting-search", words],
  waitingSearches: ["waiting-search"],
  interrupted: ["interrupted"],
  recent: ["recent"],
  history: (filters: unknown) => ["history", filters],
  allHistory: ["history"],
  approval: (id: string) => ["approval", id],
  audit: (id: string) => ["audit", id],
  chain: ["chain"],
  grants: (live: boolean) => ["grants", live],
  allGrants: ["grants"],
  preferences: ["preferences"],
  people: ["people"],
} as const;

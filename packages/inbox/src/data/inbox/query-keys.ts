import type { ListName } from "../../logic/lists/view.js";

/** Cache keys of API responses. */
export const keys = {
  me: ["me"],
  list: (name: ListName, text: string) => ["list", name, text] as const,
  lists: ["list"],
  counts: ["counts"],
  /** Changes together with the counts. */
  decidedToday: (since: number) => ["counts", "decided", since],
  facets: (name: ListName, text: string) => ["facets", name, text],
  allFacets: ["facets"],
  thread: (id: string) => ["thread", id],
  allThreads: ["thread"],
  recent: ["recent"],
  history: (filters: unknown) => ["history", filters],
  allHistory: ["history"],
  /** The calls of one reply of the model. */
  request: (id: string) => ["request", id],
  approval: (id: string) => ["approval", id],
  allApprovals: ["approval"],
  audit: (id: string) => ["audit", id],
  messages: (id: string) => ["messages", id],
  chain: ["chain"],
  grants: (live: boolean) => ["grants", live],
  allGrants: ["grants"],
  insight: (days: string) => ["insight", days],
  stops: ["stops"],
  preferences: ["preferences"],
  people: ["people"],
} as const;

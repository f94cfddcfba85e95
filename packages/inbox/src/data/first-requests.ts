/** The first page of what waits, under the API. */
export const firstWaitingPath = "/approvals?status=pending&sort=expires&limit=50";

/** What every page asks the API first. The server names them in the page, so that they are asked before any script runs. */
export const firstRequests = ["/me", firstWaitingPath] as const;

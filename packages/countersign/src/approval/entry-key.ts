/** The key of the entry that holds a response, from the request of its gated calls. */
export function resultKey(requestId: string): string {
  return `result:${requestId}`;
}

/** The request of such an entry; `undefined` for entries of the host's, which do not name theirs. */
export function requestOfKey(key: string): string | undefined {
  return key.startsWith(resultKey("req_")) ? key.slice(resultKey("").length) : undefined;
}

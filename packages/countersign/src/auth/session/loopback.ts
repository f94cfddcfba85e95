/** Whether a URL's host name is the local machine, which browsers trust without TLS. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
}

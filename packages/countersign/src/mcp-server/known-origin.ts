/** False for requests of other sites' pages, with which a browser may send a session's cookie. */
export function isKnownOrigin(request: Request, allowed: readonly string[]): boolean {
  const origin = request.headers.get("origin");
  if (origin === null || allowed.includes(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === new URL(request.url).host;
}

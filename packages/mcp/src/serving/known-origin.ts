/**
 * Whether a request may come from this origin. Browsers send the session's cookie even with requests of other sites'
 * pages.
 */
export function isKnownOrigin(request: Request, allowed: readonly string[]): boolean {
  const origin = request.headers.get("origin");
  if (origin === null || allowed.includes(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === new URL(request.url).host;
}

/** A URL without its user name and password, for messages. */
export function withoutSecrets(url: string): string {
  const parsed = new URL(url);
  parsed.username = "";
  parsed.password = "";
  return parsed.href.replace(/\/$/, "");
}

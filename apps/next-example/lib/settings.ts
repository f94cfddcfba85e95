/** Defaults are for development. `next build` needs none of these. */
export const settings = {
  databaseUrl: process.env.DATABASE_URL ?? "postgres://postgres:postgres@127.0.0.1:5432/postgres",
  /** Where browsers reach this app. Behind Next's router, a request's own URL does not say. */
  origin: process.env.APP_ORIGIN ?? "http://localhost:3000",
  openAiModel: process.env.OPENAI_MODEL ?? "gpt-4.1-mini",
  openAiBaseUrl: process.env.OPENAI_BASE_URL,
  openAiKey: process.env.OPENAI_API_KEY ?? "",
};

/** Signs the session cookie; at least 32 characters. */
export function sessionSecret(): Uint8Array {
  const secret = process.env.SESSION_SECRET ?? "";
  if (secret.length >= 32) return new TextEncoder().encode(secret);
  if (process.env.NODE_ENV !== "production")
    return new TextEncoder().encode("only-for-development-".repeat(2));
  throw new Error("SESSION_SECRET must have at least 32 characters. Make one with: openssl rand -base64 32");
}

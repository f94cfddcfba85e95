import type { z } from "zod";

const examples: Record<string, string> = {
  PORT: "3000",
  HOST: "127.0.0.1",
  DATABASE_URL: "postgres://user:password@localhost:5432/countersign",
  DATA_DIR: ".data",
  INNGEST_BASE_URL: "http://127.0.0.1:8288",
  INNGEST_DEV: "1",
  COUNTERSIGN_TIMEOUT: "30m",
  OPENAI_BASE_URL: "https://api.openai.com/v1",
  ANTHROPIC_BASE_URL: "https://api.anthropic.com/v1",
  DEMO_MODEL_FORMAT: "openai",
};

/** Values that may hold a password are not repeated. */
const secret = /_URL$|_KEY$/;

/** One line: the variable, its value unless that may be secret, what is wrong with it, and a value that works. */
export function describeIssue(issue: z.core.$ZodIssue, env: Record<string, string | undefined>): string {
  const name = String(issue.path[0] ?? "environment");
  const value = secret.test(name) ? "" : `="${env[name] ?? ""}"`;
  const example = examples[name];
  return `${name}${value} ${issue.message}.${example ? ` For example: ${name}=${example}` : ""}`;
}

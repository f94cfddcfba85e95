import type { z } from "zod";

const examples: Record<string, string> = {
  PORT: "3000",
  HOST: "127.0.0.1",
  ALLOWED_HOSTS: "desk.internal,192.168.0.10",
  DATABASE_URL: "postgres://user:password@localhost:5432/countersign",
  DATA_DIR: ".data",
  INNGEST_BASE_URL: "http://127.0.0.1:8288",
  INNGEST_DEV: "1",
  COUNTERSIGN_TIMEOUT: "30m",
  OPENAI_BASE_URL: "https://api.openai.com/v1",
  ANTHROPIC_BASE_URL: "https://api.anthropic.com/v1",
  DEMO_MODEL_FORMAT: "openai",
  SLACK_API_URL: "https://slack.com/api/",
  SLACK_USERS: '{"T1:U1": "finance"}',
  SMTP_URL: "smtp://localhost:1025",
  MAIL_TO: '{"finance": "finance@example.com"}',
  WEBHOOK_URL: "https://example.com/hooks/approvals",
  WEBHOOK_SECRET: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  WEBHOOK_ALLOW_PRIVATE: "1",
};

/** Variables whose values may contain a password and are not printed. */
const secret = /_URL$|_KEY$|_TOKEN$|_SECRET$/;

/** One line with the variable, its value unless it may be secret, the problem, and an example. */
export function describeIssue(issue: z.core.$ZodIssue, env: Record<string, string | undefined>): string {
  const name = String(issue.path[0] ?? "environment");
  const value = secret.test(name) ? "" : `="${env[name] ?? ""}"`;
  const example = examples[name];
  return `${name}${value} ${issue.message}.${example ? ` For example: ${name}=${example}` : ""}`;
}

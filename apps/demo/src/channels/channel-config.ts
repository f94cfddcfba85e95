import { z } from "zod";
import { ConfigError } from "../config-error.js";

/** A demo principal's or role's name, by the id that Slack or a mailbox knows it by. */
type Directory = Record<string, string>;

/** Where approvals reach people outside the inbox. Absent channels are off. */
export interface ChannelConfig {
  slack?: {
    token: string;
    signingSecret: string;
    channel: string;
    apiUrl?: string;
    /** `team:user` to the id of a demo person. */
    users: Directory;
  };
  email?: {
    smtpUrl: string;
    from: string;
    /** Address by role or id of a demo person. */
    to: Directory;
  };
  webhook?: {
    url: string;
    secret: string;
    /** Allows private and loopback addresses. */
    allowPrivate: boolean;
  };
}

/** The variables of channels, for the schema of all of them. */
export const channelEnvironment = {
  SLACK_BOT_TOKEN: z.string().optional(),
  SLACK_SIGNING_SECRET: z.string().optional(),
  SLACK_CHANNEL: z.string().optional(),
  SLACK_API_URL: z.url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" }).optional(),
  SLACK_USERS: directory("Slack ids as team:user to demo people"),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: "must be an smtp:// or smtps:// URL" }).optional(),
  MAIL_FROM: z.string().optional(),
  MAIL_TO: directory("roles or demo people to addresses"),
  WEBHOOK_URL: z.url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" }).optional(),
  WEBHOOK_SECRET: z.string().startsWith("whsec_", "must begin with whsec_").optional(),
  WEBHOOK_ALLOW_PRIVATE: z.enum(["0", "1"], "must be 0 or 1").default("0"),
};

type ChannelVariables = z.infer<z.ZodObject<typeof channelEnvironment>>;

/**
 * The channels that the variables turn on. Each channel needs all of its variables.
 *
 * @throws ConfigError naming the missing variables of a channel that is set in part.
 */
export function channelConfig(env: ChannelVariables): ChannelConfig {
  const lines: string[] = [];
  const slack = whole("Slack", lines, {
    SLACK_BOT_TOKEN: env.SLACK_BOT_TOKEN,
    SLACK_SIGNING_SECRET: env.SLACK_SIGNING_SECRET,
    SLACK_CHANNEL: env.SLACK_CHANNEL,
  });
  const email = whole("E-mail", lines, {
    SMTP_URL: env.SMTP_URL,
    MAIL_FROM: env.MAIL_FROM,
    MAIL_TO: env.MAIL_TO,
  });
  const webhook = whole("The webhook", lines, {
    WEBHOOK_URL: env.WEBHOOK_URL,
    WEBHOOK_SECRET: env.WEBHOOK_SECRET,
  });
  if (lines.length > 0) throw new ConfigError(lines);
  return {
    ...(slack && {
      slack: {
        token: slack.SLACK_BOT_TOKEN,
        signingSecret: slack.SLACK_SIGNING_SECRET,
        channel: slack.SLACK_CHANNEL,
        ...(env.SLACK_API_URL !== undefined && { apiUrl: env.SLACK_API_URL }),
        users: env.SLACK_USERS ?? {},
      },
    }),
    ...(email && { email: { smtpUrl: email.SMTP_URL, from: email.MAIL_FROM, to: email.MAIL_TO } }),
    ...(webhook && {
      webhook: {
        url: webhook.WEBHOOK_URL,
        secret: webhook.WEBHOOK_SECRET,
        allowPrivate: env.WEBHOOK_ALLOW_PRIVATE === "1",
      },
    }),
  };
}

/** All variables of a channel, or `undefined` if none is set. Adds a line for each that is missing. */
function whole<Variables extends Record<string, unknown>>(
  channel: string,
  lines: string[],
  variables: Variables,
): { [Name in keyof Variables]: NonNullable<Variables[Name]> } | undefined {
  const entries = Object.entries(variables);
  const missing = entries.filter(([, value]) => value === undefined).map(([name]) => name);
  if (missing.length === entries.length) return undefined;
  const given = entries.filter(([, value]) => value !== undefined).map(([name]) => name);
  for (const name of missing) {
    lines.push(`${name} must be set. ${channel} needs it together with ${given.join(" and ")}.`);
  }
  return variables as { [Name in keyof Variables]: NonNullable<Variables[Name]> };
}

/** A JSON object of texts, such as `{"finance": "finance@example.com"}`. */
function directory(what: string) {
  const message = `must be a JSON object from ${what}`;
  return z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue(message);
        return z.NEVER;
      }
    })
    .pipe(z.record(z.string(), z.string().min(1), message))
    .optional();
}

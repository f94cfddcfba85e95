import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { consoleLogger, type Logger, messageFirst } from "@countersign/policy/internal/shared/logger";
import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import type { Identify } from "countersign/types";
import { type RoundupOption, roundupTerms } from "../roundup-option.js";
import { isMentionable, mentionFix, type SlackMention } from "./mention.js";
import { recipientOf, type SlackRecipients, targetFix } from "./recipients.js";
import type { SettingsWithoutApi } from "./settings.js";

/** A Slack app, and how its people become principals. */
export interface SlackOptions {
  /** The app's bot token, `xoxb-…`, from OAuth & Permissions. */
  token: string;
  /** The app's signing secret, from Basic Information. Proves that requests come from Slack. */
  signingSecret: string;
  /**
   * Finds the principal of a Slack user. The identity's `id` is `team:user`, for example `"T0123456789:U0123456789"`, and
   * its attributes are `team`, `user` and perhaps `enterprise`. Take roles and tenant from your own directory; without
   * `tenantId`, it is the tenant of the instance. `null` for an unknown person.
   */
  identify: Identify;
  /** Where a rule's plain `"slack"` posts: `"#finance"`, `"C0123456789"` or `"@U0123456789"`. */
  channel?: string | undefined;
  /**
   * Finds the targets of a call, for example the people who may decide it. It gets the part of the rule's entry after
   * the colon, or `null`, and returns targets such as `"#finance"`, `"C0123456789"` and `"@U0123456789"`, the last for
   * a direct message. It is called again whenever the call changes, and those whom it adds get a message of their own.
   * @default the target of the rule, or `channel`
   */
  recipients?: SlackRecipients | undefined;
  /**
   * Whom messages about open calls mention, because many people are notified only of mentions: ids of user groups or
   * people, or a function that returns them for a call.
   * @default nobody
   */
  mention?: SlackMention | undefined;
  /**
   * Ids of the workspaces whose people may decide. Set it if channels are shared with other organizations.
   * @default every workspace that `identify` knows
   */
  team?: string | readonly string[] | undefined;
  /** Where unknown people link their account. */
  linkUrl?: string | undefined;
  /**
   * Reports calls in one message if more than `after` calls arrive for one conversation within `within`. `false` turns
   * this off.
   * @default { after: 3, within: "1m" }
   */
  roundup?: RoundupOption | undefined;
  /** The channel's name in rules, and in the path `/channels/<name>`. @default "slack" */
  name?: string | undefined;
  /** Base URL of Slack's API, for example `"https://slack-gov.com/api/"`. @default "https://slack.com/api/" */
  apiUrl?: string | undefined;
  /**
   * Keeps a serverless function alive for work that takes longer than Slack waits for a response.
   * @default the process is expected to keep running
   */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** As in `createCountersign`. @default the console */
  logger?: Logger | undefined;
  /** The clock by which the age of requests is checked. */
  now?: (() => Date) | undefined;
}

const defaultApiUrl = "https://slack.com/api/";
const teamId = /^[TE][A-Z0-9]{2,20}$/;

/** @throws CountersignError `invalid_option` naming the option, never quoting a secret. */
export function checkSlackOptions(
  options: SlackOptions,
): SettingsWithoutApi & { token: string; apiUrl: string } {
  const { identify, channel, recipients, mention, linkUrl, name = "slack" } = options;
  const logger = messageFirst(options.logger ?? consoleLogger);
  const token = secretText(
    "token",
    options.token,
    "the bot token from OAuth & Permissions, which starts with xoxb-",
  );
  const signingSecret = secretText(
    "signingSecret",
    options.signingSecret,
    "the signing secret from Basic Information",
  );
  if (typeof identify !== "function") {
    throw wrongOption("identify", "must be a function that returns the principal of a Slack user, or null");
  }
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)) {
    throw wrongOption("name", "must have lower-case letters, digits and hyphens only");
  }
  if (channel !== undefined && recipientOf(channel) === null) throw wrongOption("channel", targetFix);
  if (recipients !== undefined && typeof recipients !== "function") {
    throw wrongOption("recipients", "must be a function that returns a list of targets");
  }
  const mentioned = typeof mention === "function" ? [] : [mention ?? []].flat();
  if (!mentioned.every(isMentionable)) throw wrongOption("mention", mentionFix);
  if (linkUrl !== undefined && !isWebAddress(linkUrl))
    throw wrongOption("linkUrl", "must be an https address");
  const teams = options.team === undefined ? null : new Set([options.team].flat());
  if (teams !== null && (teams.size === 0 || [...teams].some((team) => !teamId.test(team)))) {
    throw wrongOption("team", `must be a workspace's id such as "T0123456789", or a list of them`);
  }
  return {
    name,
    token,
    signingSecret,
    identify,
    teams,
    recipients,
    mention,
    linkUrl,
    logger,
    apiUrl: apiUrlOf(options.apiUrl ?? defaultApiUrl),
    channel: channel ?? null,
    roundup: roundupTerms(options.roundup),
    waitUntil: options.waitUntil ?? ((work) => void work.catch((error) => lost(logger, name, error))),
    now: options.now ?? (() => new Date()),
  };
}

function lost(logger: Logger, channel: string, error: unknown): void {
  logger.error("work for a request from Slack failed", { channel, error: nameOfThrown(error) });
}

function secretText(name: string, value: unknown, what: string): string {
  if (typeof value === "string" && /^[\x21-\x7e]{8,}$/.test(value)) return value;
  throw wrongOption(name, `is required: ${what}`);
}

/** The token is sent to this address, so it must use TLS, except on this machine. */
function apiUrlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const local = url?.protocol === "http:" && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (url === null || (url.protocol !== "https:" && !local) || url.username !== "") {
    throw wrongOption("apiUrl", `must be an https address such as "${defaultApiUrl}"`);
  }
  return text;
}

const isWebAddress = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text);

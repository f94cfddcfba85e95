import type { Logger } from "@countersign/policy/internal/shared/logger";
import type { Identify, RoundupTerms } from "countersign/types";
import type { SlackMention } from "./mention.js";
import type { SlackRecipients } from "./recipients.js";
import type { SlackApi } from "./slack-api.js";

/** The checked options. */
export interface SlackSettings {
  name: string;
  api: SlackApi;
  signingSecret: string;
  identify: Identify;
  /** Workspaces whose people may decide; null for any that `identify` knows. */
  teams: ReadonlySet<string> | null;
  /** Target of rules that name none. */
  channel: string | null;
  /** Finds the targets of a call; undefined if rules name them. */
  recipients: SlackRecipients | undefined;
  mention: SlackMention | undefined;
  linkUrl: string | undefined;
  /** Undefined if every call has a message of its own. */
  roundup: RoundupTerms | undefined;
  logger: Logger;
  waitUntil: (work: Promise<unknown>) => void;
  now: () => Date;
}

export type SettingsWithoutApi = Omit<SlackSettings, "api">;

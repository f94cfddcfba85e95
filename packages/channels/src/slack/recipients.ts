import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import type { Card, Recipient } from "countersign/types";
import * as z from "zod";

/** Finds the targets of a call. `target` is the part of the rule's entry after the colon, or `null`. */
export type SlackRecipients = (
  target: string | null,
  card: Card,
) => readonly string[] | Promise<readonly string[]>;

/** A conversation by id (C public, G private, D direct), a person by id, or a channel by name. */
const conversationId = /^[CGD][A-Z0-9]{6,20}$/;
const userId = /^@?([UW][A-Z0-9]{6,20})$/;
const channelName = /^#[^\s#@<>&,.!?:;"'`]{1,80}$/u;

/** What a target must be. */
export const targetFix = `must be a channel such as "#finance" or "C0123456789", or a person's id such as "@U0123456789"`;

/** Null for a target that Slack cannot know. */
export function recipientOf(target: string): Recipient | null {
  const [, user] = userId.exec(target) ?? [];
  if (user !== undefined) return { id: user, label: `@${user}` };
  if (conversationId.test(target) || channelName.test(target)) return { id: target, label: target };
  return null;
}

const targetsSchema = z.array(z.string());

/**
 * The recipients of targets, each once. A target that Slack cannot know becomes a recipient as well: its delivery fails,
 * so that operators see the problem.
 */
export function recipientsOf(targets: unknown): Recipient[] {
  const parsed = targetsSchema.safeParse(targets);
  if (!parsed.success) throw wrongOption("recipients()", "must return a list of targets");
  const all = parsed.data.map((target) => recipientOf(target) ?? { id: target, label: target });
  return [...new Map(all.map((recipient) => [recipient.id, recipient])).values()];
}

/** Whether the recipient is a person, to whom a direct message must be opened. */
export const isPerson = ({ id }: Recipient): boolean => userId.test(id);

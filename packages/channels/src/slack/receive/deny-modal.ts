import type { Card } from "countersign/types";
import * as z from "zod";
import { limits, section } from "../message/blocks.js";
import { type ButtonTarget, targetSchema } from "../message/button-value.js";
import { plainText, shownText } from "../message/plain-text.js";
import type { ActedIn } from "./repair.js";

export const denyCallbackId = "countersign_deny";
export const reasonBlockId = "countersign_reason";
export const reasonActionId = "countersign_reason_text";

/** The longest reason that the API accepts. */
const maxReason = 2000;
const maxSummary = 1000;

const metadataSchema = targetSchema.extend({
  /** The message whose button was pressed. */
  channel: z.string().nullable(),
  ts: z.string().nullable(),
});
export type DenyMetadata = z.infer<typeof metadataSchema>;

/** Null if Slack could not carry the metadata. */
export function denyModal(card: Card, target: ButtonTarget, { channel, ts }: ActedIn) {
  const metadata = JSON.stringify({
    ...target,
    channel: channel ?? null,
    ts: ts ?? null,
  } satisfies DenyMetadata);
  if (metadata.length > limits.privateMetadata) return null;
  return {
    type: "modal",
    callback_id: denyCallbackId,
    private_metadata: metadata,
    title: plainText("Deny this request?"),
    submit: plainText("Deny"),
    close: plainText("Cancel"),
    blocks: [
      section(shownText(card.summary, maxSummary).text),
      {
        type: "input",
        block_id: reasonBlockId,
        optional: true,
        label: plainText("Reason"),
        hint: plainText("The agent and the person who asked can read it."),
        element: {
          type: "plain_text_input",
          action_id: reasonActionId,
          multiline: true,
          max_length: maxReason,
        },
      },
    ],
  };
}

export function denyMetadataOf(text: string): DenyMetadata | null {
  try {
    return metadataSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

import { createHmac } from "node:crypto";
import { z } from "zod";
import { type ToolName, tools } from "./tools.js";

/** The channels of the message service: a board shows one message per recipient and call, and a feed only grows. */
export const channelNames = ["board", "feed"] as const;

export type ChannelName = (typeof channelNames)[number];

/** Whether the rule of this tool lets people decide at the board. */
export function isDecidedAtBoard(tool: ToolName): boolean {
  return tools[tool].decideIn.some((place) => place === "board");
}

export function hears(channel: ChannelName, tool: ToolName): boolean {
  return tools[tool].notify.some((entry) => entry.split(":")[0] === channel);
}

/** The recipient of a message at the board, by target. */
export const members: Record<string, string[]> = { finance: ["finance-room"], leads: ["lead-room", "duty"] };

/** The content of a message about a call. */
const cardView = z.object({
  approvalId: z.string(),
  version: z.int(),
  status: z.string(),
  open: z.boolean(),
  digest: z.string(),
  decisions: z.array(z.enum(["approve", "deny"])),
});

export type CardView = z.infer<typeof cardView>;

/** A request to the board: a new message, or a change of one. */
export const toBoard = z.object({ deliveryId: z.string(), recipient: z.string(), card: cardView });

/** A request to the feed. */
export const toFeed = z.object({ messageId: z.string(), event: z.string(), card: cardView });

/** The button that a person pressed in a message of the board. */
export const press = z.object({
  member: z.string(),
  approvalId: z.string(),
  digest: z.string(),
  decision: z.enum(["approve", "deny"]),
  reason: z.string().optional(),
});

export type Press = z.infer<typeof press>;

/** The secret that only the board and the product know. */
export const boardSecret = "a secret of the board, in chaos";

/** The header that proves that the board has sent a press. */
export const signatureHeader = "x-board-signature";

export function signatureOf(body: string, secret: string): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

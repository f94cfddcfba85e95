import type { Channel } from "countersign";
import { type WebhooksOptions, webhooksChannel } from "./webhooks/webhooks.js";

export type { WebhookEndpoint } from "./webhooks/endpoints.js";
export type { WebhookApproval, WebhookPayload } from "./webhooks/payload.js";
export type { WebhooksOptions } from "./webhooks/webhooks.js";

/**
 * A channel that posts events of approvals to HTTP endpoints, signed as Standard Webhooks describes. It gets every
 * approval, so no rule needs to name it. The response of an endpoint never decides anything.
 *
 * @throws CountersignError `invalid_option`, naming the field.
 *
 * @example
 * ```ts
 * import { webhooks } from "@countersign/channels/webhooks";
 *
 * export const channel = webhooks({
 *   endpoints: [
 *     {
 *       url: "https://hooks.example.com/approvals",
 *       secret: process.env["WEBHOOK_SECRET"] ?? "",
 *       events: ["approval.pending", "approval.decided", "approval.expired", "approval.withdrawn"],
 *     },
 *   ],
 * });
 * ```
 */
export function webhooks(options: WebhooksOptions): Channel {
  return webhooksChannel(options);
}

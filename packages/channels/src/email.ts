import type { Channel } from "countersign";
import { type EmailOptions, emailChannel } from "./email/email-channel.js";

export type { MailAddress } from "./email/addresses.js";
export type { EmailOptions } from "./email/email-channel.js";
export type { MailRecipients } from "./email/recipients.js";
export type { MailTransport, MailTransportOption, OutgoingMail } from "./email/transport.js";
export type { RoundupOption } from "./roundup-option.js";

/**
 * A channel that sends mails, one thread for each approval and recipient. Each mail links to the inbox, where people sign
 * in and decide. Nobody can decide by mail, and following its link changes nothing.
 *
 * @throws CountersignError `invalid_option`, naming the field.
 *
 * @example
 * ```ts
 * import { email } from "@countersign/channels/email";
 *
 * export const channel = email({
 *   transport: process.env["SMTP_URL"] ?? "smtp://localhost:1025",
 *   from: "Approvals <approvals@example.com>",
 *   recipients: { default: "operations@example.com", finance: ["ada@example.com", "bo@example.com"] },
 * });
 * ```
 */
export function email(options: EmailOptions): Channel {
  return emailChannel(options);
}

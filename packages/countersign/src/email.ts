import type { Channel } from "./channel/channel.js";
import { type EmailOptions, emailChannel } from "./channels/email/email-channel.js";

export type { MailAddress } from "./channels/email/addresses.js";
export type { EmailOptions } from "./channels/email/email-channel.js";
export type { MailRecipients } from "./channels/email/recipients.js";
export type { MailTransport, MailTransportOption, OutgoingMail } from "./channels/email/transport.js";
export type { RoundupOption } from "./channels/roundup-option.js";

/**
 * A channel that sends mails, one thread for each approval and recipient. Each mail links to the inbox, where people sign
 * in and decide. Nobody can decide by mail, and following its link changes nothing.
 *
 * @throws CountersignError `invalid_option`, naming the field.
 *
 * @example
 * ```ts
 * import { email } from "countersign/email";
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

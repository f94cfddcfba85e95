import { domainToASCII } from "node:url";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import type { Channel } from "countersign";
import type { Delivery, DeliveryEvent } from "countersign/types";
import { type RoundupOption, roundupTerms } from "../roundup-option.js";
import { type Mailbox, senderSchema } from "./addresses.js";
import { type MailContent, mailContent } from "./content.js";
import { html } from "./html.js";
import { plainText } from "./plain-text.js";
import { type MailRecipients, recipientsBy } from "./recipients.js";
import { roundupContent } from "./roundup-content.js";
import { sendMail } from "./send-mail.js";
import { roundupHeaders, type ThreadHeaders, threadHeaders } from "./thread.js";
import { type MailTransportOption, type OutgoingMail, transportOf } from "./transport.js";

export interface EmailOptions {
  /** A transporter of nodemailer, the URL of an SMTP server, or nodemailer's SMTP options. */
  transport: MailTransportOption;
  /** The sender: `"Approvals <approvals@example.com>"`. */
  from: string;
  /** Who gets a mail about an approval. */
  recipients: MailRecipients;
  /** Whether mails show the arguments of calls, without what redaction hides. @default true */
  arguments?: boolean;
  /**
   * Reports calls in one mail if more than `after` calls arrive for one recipient within `within`. `false` turns this
   * off.
   * @default { after: 3, within: "1m" }
   */
  roundup?: RoundupOption;
}

/** Events that ask people to act, and those that report the end. */
const events: readonly DeliveryEvent[] = [
  "approval.pending",
  "approval.reminded",
  "approval.escalated",
  "approval.assigned",
  "approval.decided",
  "approval.expired",
  "approval.withdrawn",
  "approval.undone",
];

/** @see email in `@countersign/channels/email` */
export function emailChannel(options: EmailOptions): Channel {
  if (typeof options !== "object" || options === null)
    throw wrongOption("email()", "requires an object with transport, from and recipients");
  const transport = transportOf(options.transport);
  const from = senderOf(options.from);
  const recipients = recipientsBy(options.recipients);
  const roundup = roundupTerms(options.roundup);
  const { arguments: withArguments = true } = options;
  if (typeof withArguments !== "boolean") throw wrongOption("arguments", "must be true or false");

  return {
    name: "email",
    mode: "events",
    events,
    recipients,
    async send(delivery, signal) {
      const { event, card } = delivery;
      if (event === "approval.assigned" && card.assignee === null)
        return { ok: true, reference: null, skipped: "Nobody is assigned any more" };
      return sendMail(transport, composed(delivery, from, withArguments, signal));
    },
    roundup,
    sendRoundup(delivery, signal) {
      const content = roundupContent(delivery, withArguments);
      return sendMail(
        transport,
        mailOf(delivery, content, roundupHeaders(delivery, asciiDomain(from)), from, signal),
      );
    },
  };
}

function composed(
  delivery: Delivery,
  from: Mailbox,
  withArguments: boolean,
  signal: AbortSignal,
): OutgoingMail {
  const content = mailContent(delivery, withArguments);
  return mailOf(delivery, content, threadHeaders(delivery, asciiDomain(from)), from, signal);
}

function mailOf(
  { recipient }: Pick<Delivery, "recipient">,
  content: MailContent,
  headers: ThreadHeaders,
  from: Mailbox,
  signal: AbortSignal,
): OutgoingMail {
  return {
    from,
    to: { address: recipient.id, name: recipient.label === recipient.id ? "" : recipient.label },
    subject: content.subject,
    text: plainText(content),
    html: html(content),
    ...headers,
    // Keeps mail servers from sending automatic replies, such as out-of-office notes (RFC 3834; Exchange reads the
    // second header).
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    disableFileAccess: true,
    disableUrlAccess: true,
    signal,
  };
}

function asciiDomain({ address }: Mailbox): string {
  return domainToASCII(address.slice(address.lastIndexOf("@") + 1)) || "countersign.invalid";
}

function senderOf(from: unknown): Mailbox {
  const parsed = senderSchema.safeParse(from);
  if (parsed.success) return parsed.data;
  throw new CountersignError("invalid_option", zodProblems(parsed.error, "from").join("; "));
}

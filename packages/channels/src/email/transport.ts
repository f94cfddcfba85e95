import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { createTransport, type SMTPPoolOptions, type SMTPTransportOptions } from "nodemailer";

/** A mail as it is handed to a transport. */
export interface OutgoingMail {
  from: { name: string; address: string };
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
  messageId: string;
  inReplyTo?: string;
  references?: string;
  headers: Record<string, string>;
  disableFileAccess: true;
  disableUrlAccess: true;
  signal: AbortSignal;
}

/** What sends mails: any transporter of nodemailer. */
export interface MailTransport {
  sendMail(mail: OutgoingMail): Promise<unknown>;
}

/** A transporter of nodemailer, the URL of an SMTP server, or nodemailer's SMTP options. */
export type MailTransportOption = MailTransport | string | SMTPTransportOptions | SMTPPoolOptions;

/** @throws CountersignError `invalid_option`. Never quotes the URL, which may hold a password. */
export function transportOf(given: unknown): MailTransport {
  if (typeof given === "string") {
    const protocol = URL.canParse(given) ? new URL(given).protocol : "";
    if (protocol !== "smtp:" && protocol !== "smtps:")
      throw wrongOption("transport", 'must be an SMTP URL, such as "smtps://user:password@smtp.example.com"');
    return createTransport(given);
  }
  if (isTransport(given)) return given;
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return createTransport(given);
  throw wrongOption("transport", "must be a transporter of nodemailer, an SMTP URL or SMTP options");
}

function isTransport(given: unknown): given is MailTransport {
  return typeof given === "object" && given !== null && typeof Reflect.get(given, "sendMail") === "function";
}

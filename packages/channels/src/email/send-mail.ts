import type { Sent } from "countersign/types";
import { mailFailure } from "./mail-failure.js";
import type { MailTransport, OutgoingMail } from "./transport.js";

/** Sends one mail. Its Message-ID is the reference by which later mails continue the thread. */
export async function sendMail(transport: MailTransport, mail: OutgoingMail): Promise<Sent> {
  const { signal, messageId } = mail;
  try {
    signal.throwIfAborted();
    // Not every transport stops when the signal fires.
    await Promise.race([transport.sendMail(mail), aborted(signal)]);
    return { ok: true, reference: { messageId } };
  } catch (error) {
    return mailFailure(error, signal);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = () => reject(new Error("Aborted"));
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) giveUp();
  });
}

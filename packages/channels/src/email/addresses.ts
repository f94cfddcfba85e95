import { visibleText } from "@countersign/policy/internal/display/visible-text";
import * as z from "zod";

/** A mailbox: `"ada@example.com"`, or with the name that mail programs show. */
export type MailAddress = string | { address: string; name?: string };

export const addressFix = 'must be an e-mail address, such as "finance@example.com"';

const maxAddress = 254;
const maxName = 100;

/** One mailbox and nothing else: no separators, quotes, comments, blanks or invisible characters. */
const oneMailbox = /^[^\p{C}\p{Z}@<>()[\]\\,;:"]+@[^\p{C}\p{Z}@<>()[\]\\,;:"]+$/u;

const mailboxSchema = z
  .string({ error: addressFix })
  .max(maxAddress, addressFix)
  .regex(oneMailbox, addressFix)
  .transform((address) => {
    const at = address.lastIndexOf("@");
    return address.slice(0, at) + address.slice(at).toLowerCase();
  });

const namedSchema = z.strictObject({ address: mailboxSchema, name: z.string().optional() });

/** A checked mailbox. `name` has no line breaks and nothing invisible. */
export interface Mailbox {
  address: string;
  name: string;
}

export const mailAddressSchema = z
  .union([mailboxSchema.transform((address) => ({ address, name: undefined })), namedSchema], {
    error: addressFix,
  })
  .transform(({ address, name = "" }): Mailbox => ({ address, name: visibleText(name.trim(), maxName) }));

/** The mailbox of `"Countersign <approvals@example.com>"`, or of an address alone. */
export const senderSchema = z
  .string({ error: senderFix() })
  .transform((text) => {
    const [, name, address] = /^([^<>]*)<([^<>]*)>$/.exec(text.trim()) ?? [undefined, "", text];
    return { address: address?.trim(), name: name?.trim().replace(/^"(.*)"$/, "$1") };
  })
  .pipe(z.object({ address: mailboxSchema, name: z.string().regex(/^\P{Cc}*$/u) }, { error: senderFix() }));

function senderFix(): string {
  return 'must be an e-mail address, such as "Approvals <approvals@example.com>"';
}

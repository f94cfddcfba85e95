import { didYouMean } from "@countersign/policy/internal/shared/did-you-mean";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import type { Card, Recipient } from "countersign/types";
import * as z from "zod";
import { addressFix, type MailAddress, mailAddressSchema } from "./addresses.js";

/**
 * The recipients of mails. In a record, a rule's `"email:finance"` selects the entry `finance`, and `"email"` alone the
 * entry `default`. A function gets the part after the colon, or `null`.
 */
export type MailRecipients =
  | Readonly<Record<string, MailAddress | readonly MailAddress[]>>
  | ((target: string | null, card: Card) => Promise<readonly MailAddress[]> | readonly MailAddress[]);

type FindRecipients = (target: string | null, card: Card) => Promise<Recipient[]>;

const listSchema = z.array(mailAddressSchema, { error: "must be a list of e-mail addresses" });
const oneOrMoreSchema = z.union(
  [listSchema.min(1, addressFix), mailAddressSchema.transform((one) => [one])],
  {
    error: addressFix,
  },
);
const recordSchema = z.record(z.string(), oneOrMoreSchema);

const defaultEntry = "default";

/** @throws CountersignError `invalid_option`, naming the entry. */
export function recipientsBy(given: unknown): FindRecipients {
  if (typeof given === "function") {
    return async (target, card) => listed(listSchema, await given(target, card), "recipients()");
  }
  const record = new Map(Object.entries(checked(recordSchema, given, "recipients")));
  return async (target) => {
    const entry = record.get(target ?? defaultEntry);
    if (entry) return entry.map(recipientOf);
    throw new CountersignError(
      "invalid_option",
      `recipients: has no entry "${target ?? defaultEntry}"${didYouMean(target ?? defaultEntry, [...record.keys()])}`,
    );
  };
}

function listed(schema: typeof listSchema, value: unknown, name: string): Recipient[] {
  return checked(schema, value, name).map(recipientOf);
}

function recipientOf({ address, name }: { address: string; name: string }): Recipient {
  return { id: address, label: name || address };
}

function checked<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new CountersignError("invalid_option", zodProblems(parsed.error, name).join("; "));
}

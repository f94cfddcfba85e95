import { createECDH } from "node:crypto";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import * as z from "zod";

/** The keys with which push services recognize the sender (RFC 8292). */
export interface VapidKeys {
  /** The public key from `npx web-push generate-vapid-keys`. Browsers subscribe with it. */
  publicKey: string;
  /** The private key from `npx web-push generate-vapid-keys`. Whoever has it can send messages in your name. */
  privateKey: string;
  /** Where a push service can reach you: `"mailto:operations@example.com"` or an https URL. */
  subject: string;
}

const base64url = (bytes: number, fix: string) =>
  z.string({ error: fix }).refine((text) => {
    return /^[\w-]+$/.test(text) && Buffer.from(text, "base64url").length === bytes;
  }, fix);

const madeBy = "as npx web-push generate-vapid-keys prints it";
const subjectFix = 'must be "mailto:" and an address, or an https URL';

const keysSchema = z
  .object({
    publicKey: base64url(65, `must be the public key ${madeBy}`),
    privateKey: base64url(32, `must be the private key ${madeBy}`),
    subject: z.string({ error: subjectFix }).regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, subjectFix),
  })
  .refine(({ publicKey, privateKey }) => publicKeyOf(privateKey) === publicKey, {
    path: ["privateKey"],
    message: "does not belong to publicKey",
  });

/** @throws CountersignError `invalid_option`, naming the fields. Never quotes a key. */
export function checkedVapidKeys(value: unknown): VapidKeys {
  const parsed = keysSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new CountersignError("invalid_option", zodProblems(parsed.error, "pushChannel()").join("; "));
}

function publicKeyOf(privateKey: string): string | undefined {
  const pair = createECDH("prime256v1");
  try {
    pair.setPrivateKey(Buffer.from(privateKey, "base64url"));
  } catch {
    return undefined;
  }
  return pair.getPublicKey().toString("base64url");
}

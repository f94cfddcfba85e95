import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";

/** What a seal is for. It opens only for the same purpose and owner. */
export interface SealContext {
  purpose: string;
  owner: string;
}

const algorithm = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a text and restores it exactly, even unpaired surrogates. Equal texts of an owner have equal seals, so that an
 * answer with a seal in it is the same as long as nothing has changed. Its length can be told from the seal.
 *
 * @param secret The installation's secret, which only the database holds.
 */
export function sealText(secret: string, { purpose, owner }: SealContext, text: string): string {
  const bytes = Buffer.from(text, "utf16le");
  const key = keyOf(secret, purpose);
  // Derived from what it encrypts, and with a key of its own, so no two texts share one.
  const iv = createHmac("sha256", keyOf(secret, `${purpose}:iv`))
    .update(`${Buffer.byteLength(owner)}:${owner}`)
    .update(bytes)
    .digest()
    .subarray(0, ivBytes);
  const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(owner));
  const sealed = [cipher.update(bytes), cipher.final()];
  return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString("base64url");
}

/** The decrypted text; `undefined` if it was forged or belongs to another purpose or owner. */
export function openSeal(secret: string, { purpose, owner }: SealContext, seal: string): string | undefined {
  const bytes = Buffer.from(seal, "base64url");
  if (bytes.length < ivBytes + tagBytes) return undefined;
  const decipher = createDecipheriv(algorithm, keyOf(secret, purpose), bytes.subarray(0, ivBytes))
    .setAAD(Buffer.from(owner))
    .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  try {
    const opened = [decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()];
    return Buffer.concat(opened).toString("utf16le");
  } catch {
    return undefined;
  }
}

function keyOf(secret: string, purpose: string): Buffer {
  return createHmac("sha256", secret).update(purpose).digest();
}

import { hkdfSync } from "node:crypto";
import { wrongOption } from "./invalid-option.js";

const minSecretBytes = 32;

/** Returns the bytes of a configured secret. The error names the option but never quotes its value. */
export function secretBytes(name: string, secret: unknown): Uint8Array {
  const bytes = typeof secret === "string" ? new TextEncoder().encode(secret) : secret;
  if (!(bytes instanceof Uint8Array) || bytes.length < minSecretBytes) {
    throw wrongOption(
      name,
      `must be a string or Uint8Array of at least ${minSecretBytes} bytes; generate one with: openssl rand -base64 ${minSecretBytes}`,
    );
  }
  return bytes;
}

/**
 * Derives a key for one use from a secret (HKDF with SHA-256). Keys for different uses reveal nothing about each other.
 */
export function deriveKey(secret: Uint8Array, use: string, length: number): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", `countersign ${use}`, length));
}

/** Derives an id for a secret's key for one use. The id does not reveal the secret. */
export function deriveKeyId(secret: Uint8Array, use: string): string {
  return Buffer.from(deriveKey(secret, `${use} id`, 9)).toString("base64url");
}

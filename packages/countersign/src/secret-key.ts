import { hkdfSync } from "node:crypto";
import { wrongOption } from "./auth/options.js";

const shortestSecret = 32;

/** The bytes of a secret that somebody configured; the error names the option and never quotes its value. */
export function secretBytes(name: string, secret: unknown): Uint8Array {
  const bytes = typeof secret === "string" ? new TextEncoder().encode(secret) : secret;
  if (!(bytes instanceof Uint8Array) || bytes.length < shortestSecret) {
    throw wrongOption(
      name,
      `must be a string or Uint8Array of at least ${shortestSecret} bytes; make one with: openssl rand -base64 ${shortestSecret}`,
    );
  }
  return bytes;
}

/** A key for one use, made from a secret (HKDF with SHA-256): keys of different uses tell nothing about each other. */
export function deriveKey(secret: Uint8Array, use: string, length: number): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", `countersign ${use}`, length));
}

/** Names a secret's key for one use; says nothing about the secret. */
export function deriveKeyId(secret: Uint8Array, use: string): string {
  return Buffer.from(deriveKey(secret, `${use} id`, 9)).toString("base64url");
}

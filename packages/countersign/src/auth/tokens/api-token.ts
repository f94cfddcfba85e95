import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const prefix = "cs_";
const shape = /^cs_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/;
const checksumLength = 6;
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export interface NewApiToken {
  /** The token. Show it once and do not store it. */
  token: string;
  /** `sha256:` and 64 hex digits. Store this. */
  hash: string;
}

/**
 * Creates an API token: `cs_`, 32 random bytes as base64url, and a six-character checksum (CRC-32 in base 62). With
 * the checksum, secret scanners can recognize real tokens, and mistyped tokens are rejected without a lookup.
 * Scanners can search for `cs_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}`.
 *
 * @example
 * ```ts
 * import { createApiToken } from "countersign/auth";
 *
 * const { token, hash } = createApiToken();
 * console.log(`Copy this now, it is not shown again: ${token}`);
 * console.log(`Store this: ${hash}`);
 * ```
 */
export function createApiToken(): NewApiToken {
  const body = prefix + randomBytes(32).toString("base64url");
  const token = body + checksum(body);
  return { token, hash: storedHash(hashApiToken(token)) };
}

/** Whether a text has the format and checksum of {@link createApiToken}. Does not check that the token is known. */
export function looksLikeApiToken(text: string): boolean {
  return shape.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** A token has 256 random bits and cannot be guessed, so it needs neither a salt nor a slow hash. */
export function hashApiToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The form in which hashes are stored. */
export function storedHash(hash: Buffer): string {
  return `sha256:${hash.toString("hex")}`;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let place = 0; place < checksumLength; place++) {
    text = digits.charAt(rest % digits.length) + text;
    rest = Math.floor(rest / digits.length);
  }
  return text;
}

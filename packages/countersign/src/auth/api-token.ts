import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const prefix = "cs_";
const shape = /^cs_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/;
const checksumLength = 6;
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export interface NewApiToken {
  /** The token itself, to be shown once and kept nowhere. */
  token: string;
  /** `sha256:` and 64 hex digits: what to store. */
  hash: string;
}

/**
 * A new API token: `cs_`, 32 random bytes as base64url, and six characters of checksum (CRC-32 in base 62), by which a
 * secret scanner knows a real token from something that looks like one, and a mistyped token is refused unseen.
 * Scanners can look for `cs_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}`.
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
  return { token, hash: `sha256:${hashApiToken(token).toString("hex")}` };
}

/** Whether a text was made by {@link createApiToken}, by its shape and checksum; says nothing about whose it is. */
export function looksLikeApiToken(text: string): boolean {
  return shape.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** No salt and no slow hash: the token is 256 random bits, which nobody can guess their way to. */
export function hashApiToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
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

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { canonicalJson } from "./canonical-json.js";

const PREFIX = /^signkey-[\w]+-/;
const TOLERANCE_MS = 5 * 60 * 1000;

/** The `x-inngest-signature` of a body: text is signed as it is, JSON in its canonical form. */
export function signBody(
  body: { text: string } | { json: unknown },
  signingKey: string,
  nowMs: number,
): string {
  const seconds = Math.round(nowMs / 1000).toString();
  const text = "text" in body ? body.text : canonicalJson(body.json);
  return `t=${seconds}&s=${digest(text, signingKey, seconds)}`;
}

/** Whether a signature was made over this text with this key in the last five minutes. */
export function isSignatureValid(
  signature: string | null,
  text: string,
  signingKey: string,
  nowMs: number,
): boolean {
  const params = new URLSearchParams(signature ?? "");
  const seconds = params.get("t") ?? "";
  if (!/^\d+$/.test(seconds) || Math.abs(nowMs - Number(seconds) * 1000) > TOLERANCE_MS) return false;
  return isSameSecret(params.get("s") ?? "", digest(text, signingKey, seconds));
}

/** Compares secrets in constant time. */
export function isSameSecret(a: string, b: string): boolean {
  const hash = (value: string) => createHash("sha256").update(value).digest();
  return timingSafeEqual(hash(a), hash(b));
}

/** The form of a signing key that clients send as a bearer token: its prefix, and the SHA-256 of the rest. */
export function hashSigningKey(signingKey: string): string {
  const prefix = PREFIX.exec(signingKey)?.[0] ?? "";
  const bytes = decodeHex(signingKey.replace(PREFIX, ""));
  return prefix + createHash("sha256").update(bytes).digest("hex");
}

function digest(text: string, signingKey: string, seconds: string): string {
  return createHmac("sha256", signingKey.replace(PREFIX, ""))
    .update(text + seconds)
    .digest("hex");
}

/** Parses hex as leniently as the SDK's hash library, which ignores characters that are not hex digits. */
function decodeHex(text: string): Buffer {
  const digits = text.replace(/[^a-z0-9]+/gi, "");
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  const bytes: number[] = [];
  for (let i = 0; i < even.length; i += 2) bytes.push(Number.parseInt(even.slice(i, i + 2), 16) || 0);
  return Buffer.from(bytes);
}

import { createHmac } from "node:crypto";

const prefix = "whsec_";
const minBytes = 24;
const maxBytes = 64;

export const secretFix = `must be "${prefix}" and the base64 of ${minBytes} to ${maxBytes} random bytes; generate one with: echo "${prefix}$(openssl rand -base64 32)"`;

/** The key in a signing secret of Standard Webhooks; `undefined` if the text is not such a secret. */
export function signingKeyOf(secret: string): Buffer | undefined {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : "";
  const key = Buffer.from(text, "base64");
  const isCanonical = key.toString("base64").replace(/=+$/, "") === text.replace(/=+$/, "");
  return isCanonical && key.length >= minBytes && key.length <= maxBytes ? key : undefined;
}

/** The headers that prove a body to its receiver: one signature for each key, so that keys can be changed. */
export function signedHeaders(
  keys: readonly Uint8Array[],
  { id, body, at }: { id: string; body: string; at: Date },
): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000);
  const signatures = keys.map(
    (key) => `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`,
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}

import { hkdfSync } from "node:crypto";
import { wrongOption } from "./options.js";

const shortestKey = 32;

export interface SessionKey {
  /** Names the key in a session's header; says nothing about the key. */
  id: string;
  /** 256 bits for A256GCM. */
  encryption: Uint8Array;
}

/** Encryption keys of the given ones, bound to the cookie's name so that cookies of two uses never pass for each other. */
export function sessionKeys(keys: unknown, cookieName: string): [SessionKey, ...SessionKey[]] {
  const [current, ...older] = Array.isArray(keys) ? keys : [];
  if (current === undefined) {
    throw wrongOption(
      "keys",
      "is required: a list with the current key first, then older ones that are still accepted",
    );
  }
  return [
    sessionKey(current, 0, cookieName),
    ...older.map((key, index) => sessionKey(key, index + 1, cookieName)),
  ];
}

function sessionKey(key: unknown, index: number, cookieName: string): SessionKey {
  const bytes = typeof key === "string" ? new TextEncoder().encode(key) : key;
  if (!(bytes instanceof Uint8Array) || bytes.length < shortestKey) {
    throw wrongOption(
      `keys[${index}]`,
      `must be a string or Uint8Array of at least ${shortestKey} bytes; make one with: openssl rand -base64 ${shortestKey}`,
    );
  }
  const derive = (use: string, length: number) =>
    new Uint8Array(hkdfSync("sha256", bytes, "", `countersign session ${cookieName} ${use}`, length));
  return { id: Buffer.from(derive("id", 9)).toString("base64url"), encryption: derive("A256GCM", 32) };
}

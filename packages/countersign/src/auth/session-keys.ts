import { deriveKey, deriveKeyId, secretBytes } from "../secret-key.js";
import { wrongOption } from "./options.js";

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
  const bytes = secretBytes(`keys[${index}]`, key);
  const use = `session ${cookieName}`;
  return { id: deriveKeyId(bytes, use), encryption: deriveKey(bytes, `${use} A256GCM`, 32) };
}

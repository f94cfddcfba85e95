import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { deriveKey, deriveKeyId, secretBytes } from "@countersign/policy/internal/shared/secret-key";

export interface SessionKey {
  /** Identifies the key in a session's header without revealing it. */
  id: string;
  /** 256 bits for A256GCM. */
  encryption: Uint8Array;
}

/**
 * Derives encryption keys from the secrets. They are bound to the cookie's name, so that cookies for two purposes are
 * not interchangeable.
 */
export function sessionKeys(keys: unknown, cookieName: string): [SessionKey, ...SessionKey[]] {
  const [current, ...older] = Array.isArray(keys) ? keys : [];
  if (current === undefined) {
    throw wrongOption(
      "keys",
      "is required: list the current key first, then older keys that are still accepted",
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

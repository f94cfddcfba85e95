import type { VerifiedPrincipal } from "@countersign/policy/internal/shared/principal";
import { verifiedPrincipal } from "@countersign/policy/internal/shared/principal";
import { EncryptJWT, errors, jwtDecrypt } from "jose";
import { Refused } from "../authenticator.js";
import type { SessionKey } from "./session-keys.js";

/** The content of a session. Times are Unix timestamps in seconds. */
export interface Session {
  principal: VerifiedPrincipal;
  /** When this cookie was written: at sign-in or renewal. */
  writtenAt: number;
  /** When the session ends. Renewal does not change it. */
  endsAt: number;
}

/** Encrypts a session as a JWT (RFC 7516). The key encrypts and authenticates directly with AES-256-GCM. */
export function sealSession({ principal, writtenAt, endsAt }: Session, key: SessionKey): Promise<string> {
  return new EncryptJWT({ principal })
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: key.id })
    .setIssuedAt(writtenAt)
    .setExpirationTime(endsAt)
    .encrypt(key.encryption);
}

export async function openSession(
  sealed: string,
  keys: readonly SessionKey[],
  now: Date,
): Promise<Session & { keyId: string }> {
  let keyId = "";
  const keyOf = ({ kid }: { kid?: unknown }) => {
    const key = keys.find(({ id }) => id === kid);
    if (!key) throw new Refused("unknown_key");
    keyId = key.id;
    return key.encryption;
  };
  const { payload } = await jwtDecrypt(sealed, keyOf, {
    keyManagementAlgorithms: ["dir"],
    contentEncryptionAlgorithms: ["A256GCM"],
    requiredClaims: ["iat", "exp"],
    currentDate: now,
  }).catch((error: unknown) => {
    throw error instanceof Refused ? error : new Refused(reasonOf(error));
  });
  const principal = verifiedPrincipal(payload.principal);
  if (!principal || payload.iat === undefined || payload.exp === undefined)
    throw new Refused("unusable_principal");
  return { principal, writtenAt: payload.iat, endsAt: payload.exp, keyId };
}

function reasonOf(error: unknown) {
  if (error instanceof errors.JWTExpired) return "expired";
  return error instanceof errors.JWEDecryptionFailed ? "bad_signature" : "malformed";
}

import type { webcrypto } from "node:crypto";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { withinTime } from "@countersign/policy/internal/shared/within-time";
import type { JWK } from "jose";
import * as z from "zod";

/** The public half of a key, which only verifies. */
export interface PublicSigningKey {
  /** Names the key in tokens. */
  id: string;
  /** `"EdDSA"` with Ed25519, or `"ES256"` with P-256. */
  algorithm: "EdDSA" | "ES256";
  /** As a JSON Web Key, without its private part. */
  publicKey: webcrypto.JsonWebKey;
}

/**
 * A key whose private half stays elsewhere: in a cloud's key service, a hardware module, another process.
 *
 * @example
 * ```ts
 * import { generateKeyPairSync, sign } from "node:crypto";
 * import type { SigningService } from "countersign/types";
 *
 * const { privateKey, publicKey } = generateKeyPairSync("ed25519");
 *
 * export const signingKey: SigningService = {
 *   id: "2026-ed25519",
 *   algorithm: "EdDSA",
 *   publicKey: publicKey.export({ format: "jwk" }),
 *   sign: async (data) => sign(null, data, privateKey),
 * };
 * ```
 */
export interface SigningService extends PublicSigningKey {
  /**
   * Signs the bytes, for ES256 after hashing them with SHA-256. Resolves to 64 bytes; for ES256 these are r and s
   * concatenated (IEEE P1363), not DER. It is called without any lock held, with a timeout of ten seconds.
   */
  sign(data: Uint8Array): Promise<Uint8Array>;
}

const signatureBytes = 64;
const patienceMs = 10_000;

const coordinate = z.string().regex(/^[\w-]{43}$/);
const publicKeys = {
  EdDSA: z.object({ kty: z.literal("OKP"), crv: z.literal("Ed25519"), x: coordinate }),
  ES256: z.object({ kty: z.literal("EC"), crv: z.literal("P-256"), x: coordinate, y: coordinate }),
};

/**
 * Imports the key on first use.
 *
 * @throws CountersignError `invalid_option`, naming the option and never its value.
 */
export function publicKeyOf(
  name: string,
  algorithm: PublicSigningKey["algorithm"],
  option: unknown,
): () => Promise<CryptoKey> {
  if (typeof option === "object" && option !== null && "d" in option) {
    throw wrongOption(name, "contains a private key; remove its field d");
  }
  const parsed = publicKeys[algorithm].safeParse(option);
  if (!parsed.success) {
    const fields =
      algorithm === "EdDSA" ? 'kty "OKP", crv "Ed25519" and x' : 'kty "EC", crv "P-256", x and y';
    throw wrongOption(name, `must be a JSON Web Key with ${fields}`);
  }
  const jwk: JWK = parsed.data;
  let imported: Promise<CryptoKey> | undefined;
  return () => {
    imported ??= import("jose").then(({ importJWK }) => importJWK(jwk, algorithm) as Promise<CryptoKey>);
    return imported;
  };
}

/** The service's signature. On an error, nothing has been written. */
export async function signatureOf(sign: SigningService["sign"], data: Uint8Array): Promise<Uint8Array> {
  try {
    const signature = await withinTime(
      patienceMs,
      () => sign(data),
      `no signature within ${patienceMs / 1000} s`,
    );
    if (signature instanceof Uint8Array && signature.length === signatureBytes) return signature;
    throw new TypeError(`signingKey.sign must resolve to ${signatureBytes} bytes`);
  } catch (error) {
    throw signingFailed(error);
  }
}

export function signingFailed(cause: unknown): CountersignError {
  return new CountersignError(
    "signing_failed",
    "The signing service returned no valid signature, so nothing was written. It is safe to try again",
    { cause },
  );
}

import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";
import { type EvidenceClaims, type SignedClaims, type SignedKind, signedClaims } from "./evidence-claims.js";
import {
  algorithms,
  type EvidenceKeys,
  evidenceKeys,
  type SigningKey,
  type VerificationKey,
} from "./signing-key.js";
import { signingFailed } from "./signing-service.js";

/** The claims of a token that one of the keys signed, or the field that is wrong. */
export type Reading<Claims> =
  | { ok: true; keyId: string; claims: Claims }
  | { ok: false; field: "token" | "typ" | "keyId" | "signature" };

export type EvidenceReading = Reading<EvidenceClaims>;

/** Signs and reads evidence. Keeps its keys out of reach of code that prints or serialises objects. */
export interface EvidenceSigner {
  readonly keyId: string;
  readonly ttlMs: number;
  /** A function of the host signs. It may be slow, so do not hold locks while waiting for it. */
  readonly remote: boolean;
  /** @throws CountersignError `signing_failed` */
  sign<Kind extends SignedKind>(kind: Kind, claims: SignedClaims[Kind]): Promise<string>;
  read<Kind extends SignedKind>(kind: Kind, token: string): Promise<Reading<SignedClaims[Kind]>>;
  /** Whether one of its keys has this id. */
  knows(keyId: unknown): boolean;
}

/** The half of the signer that verifies. */
export type EvidenceReader = Pick<EvidenceSigner, "read" | "knows">;

/**
 * Signs and reads compact JWS (RFC 7515) with HS256, EdDSA or ES256. The header names key and kind. The key decides the
 * algorithm, and no other algorithm, key or kind is accepted.
 *
 * @throws CountersignError `invalid_option`, naming the field and the fix.
 */
export function createEvidenceSigner(signingKey: SigningKey): EvidenceSigner {
  const keys = evidenceKeys(signingKey);
  if (keys.current.sign) return signerWith(keys);
  throw wrongOption(
    "signingKey",
    "requires a sign function in its current key; a public key alone cannot sign",
  );
}

/**
 * Reads evidence, also with public keys alone.
 *
 * @throws CountersignError `invalid_option`, naming the field and the fix.
 */
export function createEvidenceReader(key: VerificationKey): EvidenceReader {
  return signerWith(evidenceKeys(key));
}

/** The key that a token names, verified or not. */
export function keyIdOf(token: string): string | undefined {
  const { kid } = headerOf(token);
  return typeof kid === "string" ? kid : undefined;
}

function signerWith({ current, all, ttlMs }: EvidenceKeys): EvidenceSigner {
  const read: EvidenceSigner["read"] = async (kind, token) => {
    const header = headerOf(token);
    if (!algorithms.some((algorithm) => algorithm === header.alg) || typeof header.kid !== "string") {
      return { ok: false, field: "token" };
    }
    if (header.typ !== typeOf(kind)) return { ok: false, field: "typ" };
    const key = all.find(({ id }) => id === header.kid);
    if (!key) return { ok: false, field: "keyId" };
    if (header.alg !== key.algorithm) return { ok: false, field: "token" };
    try {
      const payload = await key.verify(token);
      const claims = signedClaims[kind].safeParse(JSON.parse(new TextDecoder().decode(payload)));
      if (!claims.success) return { ok: false, field: "token" };
      return { ok: true, keyId: key.id, claims: claims.data as SignedClaims[typeof kind] };
    } catch {
      return { ok: false, field: "signature" };
    }
  };

  return {
    keyId: current.id,
    ttlMs,
    remote: current.remote,
    async sign(kind, claims) {
      if (!current.sign) throw signingFailed(new Error("signingKey.current has no sign function"));
      const header = { alg: current.algorithm, kid: current.id, typ: typeOf(kind) };
      const signed = `${encoded(header)}.${encoded(claims)}`;
      const signature = await current.sign(new TextEncoder().encode(signed));
      const token = `${signed}.${Buffer.from(signature).toString("base64url")}`;
      // The service may sign with another key than the configured public one. Calls with its signatures would never
      // start.
      if (current.remote && !(await read(kind, token)).ok) {
        throw signingFailed(new Error("the signature does not match signingKey.current.publicKey"));
      }
      return token;
    },
    read,
    knows: (keyId) => all.some(({ id }) => id === keyId),
  };
}

function typeOf(kind: SignedKind): string {
  return `countersign-${kind}`;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

function headerOf(token: string): { alg?: unknown; kid?: unknown; typ?: unknown } {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split(".", 1)[0] ?? "", "base64url").toString());
    return isPlainObject(header) ? header : {};
  } catch {
    return {};
  }
}

/**
 * Verifies a token outside of Countersign, with the same `signingKey` or, for an asymmetric one, with its public half.
 * Returns the signed claims. It does not check expiry (`claims.exp`) or whether the evidence is consumed, which the
 * database knows.
 *
 * @throws CountersignError `invalid_option` if the key cannot be used.
 *
 * @example
 * ```ts
 * import { verifyEvidence } from "countersign/evidence";
 *
 * export async function whoDecided(token: string): Promise<string | undefined> {
 *   const evidence = await verifyEvidence(token, process.env["COUNTERSIGN_SIGNING_KEY"] ?? "");
 *   return evidence.ok ? evidence.claims.principalId : undefined;
 * }
 * ```
 */
export async function verifyEvidence(token: string, key: VerificationKey): Promise<EvidenceReading> {
  return createEvidenceReader(key).read("evidence", token);
}

import { CompactSign, compactVerify, errors } from "jose";
import { type EvidenceClaims, evidenceClaimsSchema } from "./evidence-claims.js";
import { evidenceKeys, type SigningKey } from "./signing-key.js";

const type = "countersign-evidence";

/** A token that one of the keys signed and what it says, or the field that is wrong with it. */
export type EvidenceReading =
  | { ok: true; keyId: string; claims: EvidenceClaims }
  | { ok: false; field: "token" | "typ" | "keyId" | "signature" };

/** Signs and reads evidence. Holds its keys where nothing that prints or serialises objects sees them. */
export interface EvidenceSigner {
  readonly keyId: string;
  readonly ttlMs: number;
  sign(claims: EvidenceClaims): Promise<string>;
  read(token: string): Promise<EvidenceReading>;
}

/**
 * Compact JWS (RFC 7515) with HS256; the key's id and the type are in the protected header, and no other
 * algorithm, key or type is accepted.
 *
 * @throws CountersignError `invalid_option`, naming the field and the fix.
 */
export function createEvidenceSigner(signingKey: SigningKey): EvidenceSigner {
  const { current, all, ttlMs } = evidenceKeys(signingKey);
  return {
    keyId: current.id,
    ttlMs,
    sign: (claims) =>
      new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
        .setProtectedHeader({ alg: "HS256", kid: current.id, typ: type })
        .sign(current.hmac),
    async read(token) {
      let refused: Extract<EvidenceReading, { ok: false }>["field"] = "token";
      try {
        const { payload, protectedHeader } = await compactVerify(
          token,
          ({ kid, typ }) => {
            const key = all.find(({ id }) => id === kid);
            refused = typ !== type ? "typ" : key ? "signature" : "keyId";
            if (!key || typ !== type) throw new errors.JWKSNoMatchingKey();
            return key.hmac;
          },
          { algorithms: ["HS256"] },
        );
        const claims = evidenceClaimsSchema.safeParse(JSON.parse(new TextDecoder().decode(payload)));
        if (!claims.success) return { ok: false, field: "token" };
        return { ok: true, keyId: String(protectedHeader.kid), claims: claims.data };
      } catch {
        return { ok: false, field: refused };
      }
    },
  };
}

/**
 * Verifies a token outside of Countersign, with the same `signingKey`. Says that it was signed and what it says; not
 * whether its time is over (`claims.exp`) or its use is taken, which the database knows.
 *
 * @throws CountersignError `invalid_option` where `signingKey` cannot be used.
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
export function verifyEvidence(token: string, signingKey: SigningKey): Promise<EvidenceReading> {
  return createEvidenceSigner(signingKey).read(token);
}

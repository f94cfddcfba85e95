import { canonicalJson } from "@countersign/policy/internal/shared/canonical-json";
import type { SignedClaims, SignedKind } from "../../evidence/evidence-claims.js";
import type { EvidenceSigner } from "../../evidence/evidence-signer.js";
import { signingFailed } from "../../evidence/signing-service.js";
import type { Transaction } from "../database.js";
import type { Transact, Work } from "../transact.js";

/**
 * Claims and the token that signs them. A remote signer signs the claims of a rehearsal, so their id and times may
 * differ from those of the claims that the verb asks for.
 */
export interface Sealed<Kind extends SignedKind> {
  claims: SignedClaims[Kind];
  token: string;
}

/** Signs and reads for a verb. */
export interface Sealer extends Pick<EvidenceSigner, "keyId" | "ttlMs" | "read" | "knows"> {
  seal<Kind extends SignedKind>(kind: Kind, claims: SignedClaims[Kind]): Promise<Sealed<Kind>>;
}

/** Maximum runs of a verb until everything it writes is signed. */
const maxRounds = 4;

/** Ends a rehearsal: the transaction is rolled back, and nothing is written. */
class Unsigned extends Error {}

/** Runs a verb that signs what it writes if there is a signer. */
export async function withSeals<T>(
  transact: Transact,
  signer: EvidenceSigner | undefined,
  verb: (tx: Transaction, sealer: Sealer | undefined) => Promise<T>,
): Promise<T> {
  return signer ? withSealer(transact, signer, verb) : transact((tx) => verb(tx, undefined));
}

/**
 * Runs a verb that signs what it writes. A local signer signs within the transaction. A remote signer may be slow, and
 * no row may stay locked meanwhile. So the verb first runs as a rehearsal that collects the claims to sign and is
 * rolled back. Then the claims are signed, and the verb runs again with the signatures.
 */
export async function withSealer<T>(
  transact: Transact,
  signer: EvidenceSigner,
  verb: (tx: Transaction, sealer: Sealer) => Promise<T>,
): Promise<T> {
  if (!signer.remote) return transact((tx) => verb(tx, sealing(signer)));
  const ready = new Map<string, Sealed<SignedKind>>();
  for (let round = 0; round < maxRounds; round++) {
    const wanted: Wanted[] = [];
    const rehearsed: Work<T> = async (tx) => {
      const result = await verb(tx, rehearsingSealer(signer, ready, wanted));
      if (wanted.length > 0) throw new Unsigned();
      return result;
    };
    try {
      return await transact(rehearsed);
    } catch (error) {
      if (!(error instanceof Unsigned)) throw error;
    }
    await Promise.all(
      wanted.map(async ({ key, kind, claims }) => {
        ready.set(key, { claims, token: await signer.sign(kind, claims) });
      }),
    );
  }
  throw signingFailed(new Error("the content to sign changed on every attempt"));
}

/** Signs at once. No row is locked while a verb judges, so a remote signer may be as slow as it is. */
export function sealing(signer: EvidenceSigner): Sealer {
  return {
    keyId: signer.keyId,
    ttlMs: signer.ttlMs,
    read: (kind, token) => signer.read(kind, token),
    knows: (keyId) => signer.knows(keyId),
    seal: async (kind, claims) => ({ claims, token: await signer.sign(kind, claims) }),
  };
}

interface Wanted {
  key: string;
  kind: SignedKind;
  claims: SignedClaims[SignedKind];
}

function rehearsingSealer(
  { keyId, ttlMs, read, knows }: EvidenceSigner,
  ready: ReadonlyMap<string, Sealed<SignedKind>>,
  wanted: Wanted[],
): Sealer {
  return {
    keyId,
    ttlMs,
    read,
    knows,
    async seal<Kind extends SignedKind>(kind: Kind, claims: SignedClaims[Kind]) {
      const key = keyOf(kind, claims);
      const sealed = ready.get(key);
      if (sealed) return sealed as Sealed<Kind>;
      wanted.push({ key, kind, claims });
      return { claims, token: "unsigned" };
    },
  };
}

/** Equal for claims with the same content, whatever their ids and times. */
function keyOf(kind: SignedKind, claims: object): string {
  return `${kind} ${canonicalJson({ ...claims, id: null, iat: null, exp: null, nbf: null })}`;
}

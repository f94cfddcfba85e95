import { createHmac, timingSafeEqual } from "node:crypto";
import { dayMs } from "@countersign/policy/internal/shared/duration";
import { optionMs, wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { deriveKey, deriveKeyId, secretBytes } from "@countersign/policy/internal/shared/secret-key";
import { type PublicSigningKey, publicKeyOf, type SigningService, signatureOf } from "./signing-service.js";

/** A secret of at least 32 bytes, and the name of its key. @default a name derived from the secret */
export interface NamedSecret {
  id?: string;
  secret: string | Uint8Array;
}

/**
 * The key that signs evidence: a secret, or a service that holds the private key. Give it alone, or with previous keys
 * whose signatures remain valid.
 */
export type SigningKey =
  | string
  | Uint8Array
  | NamedSecret
  | SigningService
  | {
      current: NamedSecret | SigningService;
      previous?: readonly (NamedSecret | PublicSigningKey)[];
      /** Validity of evidence after the last call of its request has expired. @default "30d" */
      ttl?: string;
    };

/** The key that verifies evidence: a signing key, or the public half of one. */
export type VerificationKey =
  | SigningKey
  | PublicSigningKey
  | {
      current: NamedSecret | PublicSigningKey;
      previous?: readonly (NamedSecret | PublicSigningKey)[];
      ttl?: string;
    };

/** Algorithms that keys may have. */
export const algorithms = ["HS256", "EdDSA", "ES256"] as const;

/** A key as the token's header names it. The key decides the algorithm, never the token. */
export interface EvidenceKey {
  id: string;
  algorithm: (typeof algorithms)[number];
  /** The payload of a compact JWS with this key's algorithm; throws if the key did not sign it. */
  verify(token: string): Promise<Uint8Array>;
  /** The signature over these bytes; `undefined` for a key that only verifies. */
  sign: ((data: Uint8Array) => Promise<Uint8Array>) | undefined;
  /** A function of the host signs, which may be slow or fail. */
  remote: boolean;
}

export interface EvidenceKeys {
  current: EvidenceKey;
  all: readonly EvidenceKey[];
  ttlMs: number;
}

const maxTtlMs = 365 * dayMs;

/**
 * The keys in an option.
 *
 * @throws CountersignError `invalid_option`, naming the field and the fix, never a value.
 */
export function evidenceKeys(option: unknown): EvidenceKeys {
  if (!hasCurrent(option)) {
    const only =
      typeof option === "string" || option instanceof Uint8Array
        ? secretKey("signingKey", { secret: option }, "signingKey")
        : evidenceKey("signingKey", option);
    return { current: only, all: [only], ttlMs: ttlOf(undefined) };
  }
  const { current, previous = [], ttl } = fieldsOf("signingKey", option, ["current", "previous", "ttl"]);
  if (!Array.isArray(previous)) throw wrongOption("signingKey.previous", "must be a list of keys");
  const newest = evidenceKey("signingKey.current", current);
  const all = [newest, ...previous.map((key, index) => evidenceKey(`signingKey.previous[${index}]`, key))];
  for (const [index, { id }] of all.entries()) {
    if (all.findIndex((other) => other.id === id) === index) continue;
    throw wrongOption(
      `signingKey.previous[${index - 1}].id`,
      "is already the id of another key; every key needs a unique id",
    );
  }
  return { current: newest, all, ttlMs: ttlOf(ttl) };
}

function hasCurrent(option: unknown): option is object {
  return typeof option === "object" && option !== null && "current" in option;
}

function evidenceKey(name: string, option: unknown): EvidenceKey {
  const isService = typeof option === "object" && option !== null && "publicKey" in option;
  return isService ? serviceKey(name, option) : secretKey(name, option);
}

function secretKey(name: string, named: unknown, secretName = `${name}.secret`): EvidenceKey {
  const { id, secret } = fieldsOf(name, named, ["id", "secret"]);
  const bytes = secretBytes(secretName, secret);
  const hmac = deriveKey(bytes, "evidence HS256", 32);
  return {
    id: id === undefined ? deriveKeyId(bytes, "evidence") : nameOf(`${name}.id`, id),
    algorithm: "HS256",
    verify: async (token) => hmacPayload(hmac, token),
    sign: async (data) => createHmac("sha256", hmac).update(data).digest(),
    remote: false,
  };
}

/**
 * Without jose, whose way to a digest costs thirty times as much: each call verifies two tokens. The text of the signature
 * is compared, so no other spelling of it counts.
 */
function hmacPayload(hmac: Uint8Array, token: string): Uint8Array {
  const [, payload, signature, ...more] = token.split(".");
  if (payload === undefined || signature === undefined || more.length > 0)
    throw new Error("not a compact JWS");
  const signed = token.slice(0, -signature.length - 1);
  const expected = Buffer.from(createHmac("sha256", hmac).update(signed).digest("base64url"));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new Error("wrong signature");
  return Buffer.from(payload, "base64url");
}

function serviceKey(name: string, option: object): EvidenceKey {
  const { id, algorithm, publicKey, sign } = fieldsOf(name, option, ["id", "algorithm", "publicKey", "sign"]);
  if (algorithm !== "EdDSA" && algorithm !== "ES256") {
    throw wrongOption(`${name}.algorithm`, 'must be "EdDSA" (Ed25519) or "ES256" (P-256)');
  }
  if (sign !== undefined && typeof sign !== "function") {
    throw wrongOption(
      `${name}.sign`,
      "must be a function that signs bytes; omit it for a key that only verifies",
    );
  }
  const verifier = publicKeyOf(`${name}.publicKey`, algorithm, publicKey);
  return {
    id: nameOf(`${name}.id`, id),
    algorithm,
    verify: async (token) => {
      const { compactVerify } = await import("jose");
      const { payload } = await compactVerify(token, await verifier(), { algorithms: [algorithm] });
      return payload;
    },
    sign: sign && ((data) => signatureOf(sign as SigningService["sign"], data)),
    remote: true,
  };
}

function nameOf(name: string, id: unknown): string {
  if (typeof id === "string" && id.trim() !== "") return id;
  throw wrongOption(name, "must be a non-empty string");
}

function fieldsOf(name: string, value: unknown, known: readonly string[]): Record<string, unknown> {
  const fix = `must be an object with ${known.join(", ")}`;
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Uint8Array) {
    throw wrongOption(name, name === "signingKey" ? `must be a secret of at least 32 bytes, or ${fix}` : fix);
  }
  if (Object.keys(value).some((field) => !known.includes(field))) {
    throw wrongOption(name, `has an unknown field; known fields: ${known.join(", ")}`);
  }
  return { ...value };
}

function ttlOf(text: unknown): number {
  const ms = optionMs("signingKey.ttl", text ?? "30d");
  if (ms > maxTtlMs) throw wrongOption("signingKey.ttl", 'must be at most one year, such as "30d"');
  return Math.round(ms);
}

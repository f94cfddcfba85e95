import { createPublicKey, type JsonWebKey, KeyObject } from "node:crypto";
import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { type CryptoKey, createLocalJWKSet, type JSONWebKeySet, type JWK, type JWTVerifyGetKey } from "jose";
import { isLoopback } from "../session/loopback.js";
import { remoteKeys } from "./remote-keys.js";

/** Supported signature algorithms (RFC 7518, RFC 8037, RFC 9864). `none` is not supported. */
export type JwtAlgorithm = keyof typeof secretBytes | keyof typeof publicKeyFits;

/** Source of the verification keys. Set exactly one. */
export type JwtKeySource =
  | {
      /** The issuer's JWKS endpoint. Must be https, or http on localhost. */
      jwksUrl: string | URL;
    }
  | {
      /** A JWK set of public keys. */
      jwks: JSONWebKeySet;
    }
  | {
      /** A shared secret for HS256, HS384 or HS512, at least as long as the hash. */
      secret: string | Uint8Array;
    }
  | {
      /** One public key: PEM, JWK, KeyObject or CryptoKey. */
      publicKey: string | JWK | KeyObject | CryptoKey;
    };

const sources = ["jwksUrl", "jwks", "secret", "publicKey"] as const;

/** RFC 7518, 3.2: a key must be at least as long as the hash. */
const secretBytes = { HS256: 32, HS384: 48, HS512: 64 } as const;

const rsa = (key: KeyObject) =>
  key.asymmetricKeyType === "rsa" && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048;
const curve = (name: string) => (key: KeyObject) => key.asymmetricKeyDetails?.namedCurve === name;
const ed25519 = (key: KeyObject) => key.asymmetricKeyType === "ed25519";

const publicKeyFits = {
  RS256: rsa,
  RS384: rsa,
  RS512: rsa,
  PS256: rsa,
  PS384: rsa,
  PS512: rsa,
  ES256: curve("prime256v1"),
  ES384: curve("secp384r1"),
  ES512: curve("secp521r1"),
  EdDSA: ed25519,
  Ed25519: ed25519,
} as const;

/** Verification key and accepted algorithms. Secrets and public keys never share an algorithm. */
export interface JwtKeys {
  key: Uint8Array | KeyObject | JWTVerifyGetKey;
  algorithms: JwtAlgorithm[];
}

export function jwtKeys(
  options: { [source in (typeof sources)[number]]?: unknown } & { algorithms?: unknown },
  now: () => Date,
): JwtKeys {
  const given = sources.filter((source) => options[source] !== undefined);
  const [source] = given;
  if (source === undefined || given.length > 1) {
    throw wrongOption(given.length > 1 ? given.join(", ") : sources.join(" | "), "set exactly one of them");
  }
  const algorithms = allowedAlgorithms(options.algorithms, source === "secret");
  switch (source) {
    case "jwksUrl":
      return { algorithms, key: remoteKeys(keysUrl(options.jwksUrl), now) };
    case "jwks":
      return { algorithms, key: localKeys(options.jwks) };
    case "secret":
      return { algorithms, key: secretKey(options.secret, algorithms) };
    case "publicKey":
      return { algorithms, key: publicKey(options.publicKey, algorithms) };
  }
}

function allowedAlgorithms(value: unknown, forSecret: boolean): JwtAlgorithm[] {
  const allowed = Object.keys(forSecret ? secretBytes : publicKeyFits);
  if (!Array.isArray(value) || value.length === 0) {
    throw wrongOption(
      "algorithms",
      `is required: list the accepted signature algorithms, for example ["${allowed[0]}"]`,
    );
  }
  for (const algorithm of value) {
    if (typeof algorithm === "string" && allowed.includes(algorithm)) continue;
    throw wrongOption(
      "algorithms",
      `${JSON.stringify(algorithm)} cannot be used with ${forSecret ? "a secret" : "public keys"}; choose from ${allowed.join(", ")}`,
    );
  }
  return value as JwtAlgorithm[];
}

function keysUrl(value: unknown): URL {
  const url =
    value instanceof URL || (typeof value === "string" && URL.canParse(value)) ? new URL(value) : null;
  if (!url)
    throw wrongOption("jwksUrl", "must be a URL, such as https://issuer.example/.well-known/jwks.json");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    throw wrongOption(
      "jwksUrl",
      "must be https (http only on localhost): an attacker who can replace the keys in transit can sign as anyone",
    );
  }
  return url;
}

function localKeys(value: unknown): JWTVerifyGetKey {
  const keys = (value as Partial<JSONWebKeySet> | null)?.keys;
  if (!Array.isArray(keys) || keys.length === 0) {
    throw wrongOption("jwks", "must be a JWK set with at least one key: { keys: [{ kty, kid, … }] }");
  }
  for (const [index, key] of keys.entries()) {
    if (key?.kty === "oct") {
      throw wrongOption(
        `jwks.keys[${index}]`,
        "is a shared secret; pass it as secret, with an HS algorithm such as HS256",
      );
    }
    if (typeof key?.kty !== "string")
      throw wrongOption(`jwks.keys[${index}]`, "is not a JWK: kty is missing");
    if ("d" in key) {
      throw wrongOption(`jwks.keys[${index}]`, "is a private key; pass only its public key");
    }
  }
  return createLocalJWKSet({ keys });
}

function secretKey(value: unknown, algorithms: readonly JwtAlgorithm[]): Uint8Array {
  const isText = typeof value === "string";
  if (!isText && !(value instanceof Uint8Array))
    throw wrongOption("secret", "must be a string or a Uint8Array");
  if (isText && value.includes("-----BEGIN")) {
    throw wrongOption(
      "secret",
      "is a PEM key; pass it as publicKey, with an algorithm such as RS256 or ES256",
    );
  }
  const bytes = isText ? new TextEncoder().encode(value) : Uint8Array.from(value);
  const least = Math.max(
    ...algorithms.map((algorithm) => secretBytes[algorithm as keyof typeof secretBytes]),
  );
  if (bytes.length < least) {
    throw wrongOption(
      "secret",
      `${algorithms.join(", ")} needs at least ${least} bytes; generate one with: openssl rand -base64 ${least}`,
    );
  }
  return bytes;
}

function publicKey(value: unknown, algorithms: readonly JwtAlgorithm[]): KeyObject {
  const key = keyObject(value);
  if (key?.type !== "public") {
    throw wrongOption("publicKey", "must be a public key as PEM (SPKI), JWK, KeyObject or CryptoKey");
  }
  for (const algorithm of algorithms) {
    if (publicKeyFits[algorithm as keyof typeof publicKeyFits](key)) continue;
    const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {};
    const kind = [key.asymmetricKeyType, namedCurve ?? modulusLength].filter(Boolean).join(" ");
    throw wrongOption(
      "algorithms",
      `${algorithm} does not match the publicKey, which is ${kind}; list the issuer's algorithms (RSA keys need 2048 bits)`,
    );
  }
  return key;
}

/** Reads a public key. Private keys are rejected, not converted. */
function keyObject(value: unknown): KeyObject | undefined {
  try {
    if (value instanceof KeyObject) return value;
    if (typeof value === "string") {
      return value.includes("PRIVATE KEY") ? undefined : createPublicKey(value);
    }
    if (typeof value !== "object" || value === null || "d" in value) return undefined;
    if ("kty" in value) return createPublicKey({ key: value as JsonWebKey, format: "jwk" });
    return KeyObject.from(value as Parameters<typeof KeyObject.from>[0]);
  } catch {
    return undefined;
  }
}

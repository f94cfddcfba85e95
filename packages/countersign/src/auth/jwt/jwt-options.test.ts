import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type JwtAuthenticatorOptions, jwtAuthenticator } from "./jwt-authenticator.js";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** An authenticator with valid options, except for `changes`. */
function setUp(changes: Record<string, unknown>) {
  return jwtAuthenticator({
    publicKey: rsa.publicKey,
    issuer: "https://login.example.com/",
    audience: "https://approvals.example.com",
    algorithms: ["RS256"],
    claims: { tenantId: "org_id" },
    ...changes,
  } as JwtAuthenticatorOptions);
}

test("jwtAuthenticator accepts valid options", () => expect(setUp({})).toBeTypeOf("function"));

describe("jwtAuthenticator", () => {
  const small = () =>
    createPublicKey(
      generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ type: "spki", format: "pem" }),
    );

  test.each<[string, string, () => Record<string, unknown>]>([
    ["issuer", "no issuer", () => ({ issuer: undefined })],
    ["issuer", "an empty issuer", () => ({ issuer: "" })],
    ["issuer", "no issuer in the list", () => ({ issuer: [] })],
    ["audience", "no audience", () => ({ audience: undefined })],
    ["audience", "an empty audience among others", () => ({ audience: ["a", " "] })],
    ["algorithms", "no algorithms", () => ({ algorithms: undefined })],
    ["algorithms", "an empty list", () => ({ algorithms: [] })],
    ["algorithms", "none", () => ({ algorithms: ["none"] })],
    ["algorithms", "none among others", () => ({ algorithms: ["RS256", "none"] })],
    ["algorithms", "HS256 with a public key", () => ({ algorithms: ["RS256", "HS256"] })],
    [
      "algorithms",
      "HS256 with a JWK set's address",
      () => ({ publicKey: undefined, jwksUrl: "https://a.example/", algorithms: ["HS256"] }),
    ],
    ["algorithms", "RS256 with a secret", () => ({ publicKey: undefined, secret: "s".repeat(64) })],
    ["algorithms", "ES256 with an RSA key", () => ({ algorithms: ["ES256"] })],
    ["algorithms", "an RSA key of 1024 bits", () => ({ publicKey: small() })],
    ["algorithms", "the name of an inherited property", () => ({ algorithms: ["toString"] })],
    ["jwksUrl | jwks | secret | publicKey", "no keys", () => ({ publicKey: undefined })],
    ["secret, publicKey", "two kinds of keys", () => ({ secret: "s".repeat(64) })],
    ["publicKey", "text that is not a key", () => ({ publicKey: "-----BEGIN nothing" })],
    ["publicKey", "a private key", () => ({ publicKey: rsa.privateKey })],
    [
      "publicKey",
      "a private key as PEM",
      () => ({
        publicKey: generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }),
      }),
    ],
    [
      "publicKey",
      "a private key as JWK",
      () => ({ publicKey: generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }) }),
    ],
    [
      "secret",
      "a short secret",
      () => ({ publicKey: undefined, secret: "s".repeat(31), algorithms: ["HS256"] }),
    ],
    [
      "secret",
      "a secret too short for one of two",
      () => ({ publicKey: undefined, secret: "s".repeat(32), algorithms: ["HS256", "HS512"] }),
    ],
    [
      "secret",
      "a PEM key as the secret",
      () => ({
        publicKey: undefined,
        secret: "-----BEGIN PUBLIC KEY-----".padEnd(80),
        algorithms: ["HS256"],
      }),
    ],
    ["secret", "a number", () => ({ publicKey: undefined, secret: 1, algorithms: ["HS256"] })],
    ["jwks", "a list in place of a set", () => ({ publicKey: undefined, jwks: [] })],
    ["jwks", "an empty set", () => ({ publicKey: undefined, jwks: { keys: [] } })],
    [
      "jwks.keys[0]",
      "a set with a secret",
      () => ({ publicKey: undefined, jwks: { keys: [{ kty: "oct", k: "c2VjcmV0" }] } }),
    ],
    [
      "jwks.keys[0]",
      "a set with a private key",
      () => ({ publicKey: undefined, jwks: { keys: [{ kty: "OKP", d: "x" }] } }),
    ],
    [
      "jwks.keys[1]",
      "a set with an object that is not a key",
      () => ({ publicKey: undefined, jwks: { keys: [{ kty: "EC" }, {}] } }),
    ],
    ["jwksUrl", "text that is not a URL", () => ({ publicKey: undefined, jwksUrl: "login.example.com" })],
    ["jwksUrl", "http", () => ({ publicKey: undefined, jwksUrl: "http://login.example.com/jwks" })],
    ["claims", "no claims", () => ({ claims: undefined })],
    ["claims.tenantId", "no tenant", () => ({ claims: {} })],
    ["claims.tenantId", "an empty constant", () => ({ claims: { tenantId: { constant: "" } } })],
    [
      "claims.roles",
      "roles that are neither path nor function",
      () => ({ claims: { tenantId: "t", roles: ["admin"] } }),
    ],
    ["clockTolerance", "milliseconds", () => ({ clockTolerance: 5000 })],
    ["clockTolerance", "text", () => ({ clockTolerance: "no" })],
    ["maxAge", "a number", () => ({ maxAge: 3600 })],
    ["maxAge", "text that is not a duration", () => ({ maxAge: "soon" })],
  ])("refuses an invalid %s: %s", (option, _what, changes) => {
    expect(() => setUp(changes())).toThrow(
      expect.objectContaining({
        code: "invalid_option",
        message: expect.stringMatching(startingWith(option)),
      }),
    );
  });

  function startingWith(option: string): RegExp {
    return new RegExp(`^${option.replace(/[|[\].]/g, "\\$&")}: .{10}`);
  }

  test("does not repeat the secret in an error message", () => {
    const secret = "hunter2-".repeat(3);
    expect(() => setUp({ publicKey: undefined, secret, algorithms: ["HS256"] })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("hunter2") }),
    );
  });
});

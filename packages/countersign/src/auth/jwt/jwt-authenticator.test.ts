import { createPublicKey } from "node:crypto";
import {
  exportJWK,
  exportPKCS8,
  exportSPKI,
  generateKeyPair,
  importPKCS8,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import type { AuthRefusal } from "../authenticator.js";
import { type JwtAuthenticatorOptions, jwtAuthenticator } from "./jwt-authenticator.js";

const start = new Date("2026-06-01T12:00:00Z");
const seconds = start.getTime() / 1000;
const issuer = "https://login.example.com/";
const audience = "https://approvals.example.com";

let rsa: Awaited<ReturnType<typeof generateKeyPair>>;
let other: Awaited<ReturnType<typeof generateKeyPair>>;

beforeAll(async () => {
  rsa = await generateKeyPair("RS256", { extractable: true });
  other = await generateKeyPair("RS256", { extractable: true });
});

const goodClaims = {
  iss: issuer,
  aud: audience,
  sub: "ada",
  org_id: "acme",
  roles: ["support"],
  name: "Ada",
  iat: seconds,
  exp: seconds + 300,
};

function sign(claims: JWTPayload = goodClaims, header: Record<string, unknown> = {}, key = rsa.privateKey) {
  return new SignJWT(claims).setProtectedHeader({ alg: "RS256", ...header }).sign(key);
}

function without(...names: (keyof typeof goodClaims)[]): JWTPayload {
  return Object.fromEntries(Object.entries(goodClaims).filter(([name]) => !names.includes(name as never)));
}

function bearer(token: string, scheme = "Bearer") {
  return new Request("https://approvals.example.com/", { headers: { authorization: `${scheme} ${token}` } });
}

/** An authenticator with the usual options, and the reasons of its refusals. */
function setUp(changes: Record<string, unknown> = {}) {
  const refusals: AuthRefusal[] = [];
  const authenticate = jwtAuthenticator({
    publicKey: rsa.publicKey,
    issuer,
    audience,
    algorithms: ["RS256"],
    claims: { tenantId: "org_id", roles: "roles", displayName: "name" },
    now: () => start,
    onRefusal: (reason: AuthRefusal) => refusals.push(reason),
    ...changes,
  } as JwtAuthenticatorOptions);
  return { authenticate, refusals };
}

async function expectRefused(token: string, reason: AuthRefusal, changes: Record<string, unknown> = {}) {
  const { authenticate, refusals } = setUp(changes);
  expect(await authenticate(bearer(token))).toBeNull();
  expect(refusals).toEqual([reason]);
}

const authenticatedBy = `jwt ${issuer}`;
const ada = { id: "ada", tenantId: "acme", roles: ["support"], displayName: "Ada", authenticatedBy };

describe("a valid token", () => {
  test("authenticates its principal", async () => {
    const { authenticate, refusals } = setUp();
    expect(await authenticate(bearer(await sign()))).toEqual(ada);
    expect(refusals).toEqual([]);
  });

  test.each(["bearer", "BEARER", "Bearer "])("is accepted under the scheme %j", async (scheme) => {
    expect(await setUp().authenticate(bearer(await sign(), scheme))).toEqual(ada);
  });

  test("may have one of several issuers and audiences", async () => {
    const { authenticate } = setUp({ issuer: ["https://old.example/", issuer], audience: ["x", audience] });
    expect(await authenticate(bearer(await sign({ ...goodClaims, aud: ["y", audience] })))).toEqual(ada);
  });

  test.each(["HS256", "HS384", "HS512"])("may be signed with a secret under %s", async (alg) => {
    const secret = "s".repeat(64);
    const token = await new SignJWT(goodClaims)
      .setProtectedHeader({ alg })
      .sign(new TextEncoder().encode(secret));
    const { authenticate } = setUp({ publicKey: undefined, secret, algorithms: [alg] });
    expect(await authenticate(bearer(token))).toEqual(ada);
  });

  test.each(["RS256", "RS512", "PS256", "ES256", "ES384", "ES512", "Ed25519", "EdDSA"])(
    "may be signed with %s; the key may be a PEM, a JWK, a CryptoKey or a KeyObject",
    async (alg) => {
      const pair = await generateKeyPair(alg, { extractable: true });
      const token = await new SignJWT(goodClaims).setProtectedHeader({ alg }).sign(pair.privateKey);
      const pem = await exportSPKI(pair.publicKey);
      for (const publicKey of [pem, await exportJWK(pair.publicKey), pair.publicKey, createPublicKey(pem)]) {
        expect(await setUp({ publicKey, algorithms: [alg] }).authenticate(bearer(token))).toEqual(ada);
      }
    },
  );

  test("is verified with the key in a given JWK set that has its key id", async () => {
    const jwks = {
      keys: [
        { ...(await exportJWK(other.publicKey)), kid: "other" },
        { ...(await exportJWK(rsa.publicKey)), kid: "current" },
      ],
    };
    const changes = { publicKey: undefined, jwks };
    const { authenticate } = setUp(changes);
    expect(await authenticate(bearer(await sign(goodClaims, { kid: "current" })))).toEqual(ada);
    await expectRefused(await sign(goodClaims, { kid: "nobody" }), "unknown_key", changes);
    await expectRefused(await sign(goodClaims, { kid: "other" }), "bad_signature", changes);
    await expectRefused(await sign(), "unknown_key", changes);
  });
});

describe("jwtAuthenticator", () => {
  test("refuses a request without an Authorization header or with another scheme", async () => {
    const { authenticate, refusals } = setUp();
    expect(await authenticate(new Request("https://a.example/"))).toBeNull();
    expect(await authenticate(bearer("YTpi", "Basic"))).toBeNull();
    expect(refusals).toEqual(["no_credentials", "no_credentials"]);
  });

  test("refuses an empty token, two tokens and text that is not a JWT", async () => {
    await expectRefused("", "malformed");
    await expectRefused(`${await sign()}, Bearer ${await sign()}`, "malformed");
    for (const text of ["x", "a.b.c", "..", "a.b.c.d.e"]) await expectRefused(text, "malformed");
  });

  test("refuses a token of more than 16 KB before parsing it", async () => {
    const padded = await sign({ ...goodClaims, padding: "x".repeat(16 * 1024) });
    await expectRefused(padded, "too_large");
    await expectRefused("a".repeat(16 * 1024 + 1), "too_large");
    await expectRefused("a".repeat(16 * 1024), "malformed");
  });

  test("refuses the algorithm none, with and without a signature", async () => {
    const unsigned = new UnsecuredJWT(goodClaims).encode();
    await expectRefused(unsigned, "algorithm_not_allowed");
    await expectRefused(`${unsigned}c2lnbmF0dXJl`, "algorithm_not_allowed");
    const asNone = Buffer.from(JSON.stringify({ alg: "NONE" })).toString("base64url");
    await expectRefused(`${asNone}.${unsigned.split(".")[1]}.`, "algorithm_not_allowed");
  });

  test("refuses HS256 with the RSA public key as the secret", async () => {
    const pem = await exportSPKI(rsa.publicKey);
    const forged = await new SignJWT(goodClaims)
      .setProtectedHeader({ alg: "HS256" })
      .sign(new TextEncoder().encode(pem));
    await expectRefused(forged, "algorithm_not_allowed");
    await expectRefused(forged, "algorithm_not_allowed", { publicKey: pem });
  });

  test("refuses an algorithm that fits the key but is not listed", async () => {
    const privateKey = await importPKCS8(await exportPKCS8(rsa.privateKey), "RS512");
    const token = await new SignJWT(goodClaims).setProtectedHeader({ alg: "RS512" }).sign(privateKey);
    await expectRefused(token, "algorithm_not_allowed");
  });

  test("refuses another key, a changed payload and a key inside the token", async () => {
    await expectRefused(await sign(goodClaims, {}, other.privateKey), "bad_signature");
    const [header, , signature] = (await sign()).split(".");
    const payload = Buffer.from(JSON.stringify({ ...goodClaims, sub: "eve" })).toString("base64url");
    await expectRefused(`${header}.${payload}.${signature}`, "bad_signature");
    const jwk = await exportJWK(other.publicKey);
    await expectRefused(await sign(goodClaims, { jwk }, other.privateKey), "bad_signature");
  });

  test("refuses a critical header that it does not know", async () => {
    const header = Buffer.from(JSON.stringify({ alg: "RS256", crit: ["x"], x: 1 })).toString("base64url");
    await expectRefused(`${header}.${(await sign()).split(".").slice(1).join(".")}`, "malformed");
  });

  test("refuses expired and not yet valid tokens, with a default tolerance of five seconds", async () => {
    const { authenticate } = setUp();
    expect(await authenticate(bearer(await sign({ ...goodClaims, exp: seconds - 4 })))).toEqual(ada);
    expect(await authenticate(bearer(await sign({ ...goodClaims, nbf: seconds + 5 })))).toEqual(ada);
    await expectRefused(await sign({ ...goodClaims, exp: seconds - 5 }), "expired");
    await expectRefused(await sign({ ...goodClaims, nbf: seconds + 6 }), "not_yet_valid");
    await expectRefused(await sign({ ...goodClaims, exp: seconds }), "expired", { clockTolerance: 0 });
  });

  test("refuses a token without an expiry", async () =>
    expectRefused(await sign(without("exp")), "missing_claim"));

  test("refuses an issue time that is in the future by more than the tolerance, also without maxAge", async () => {
    const issuedAt = async (iat: number) => sign({ ...goodClaims, iat });
    const { authenticate } = setUp();
    expect(await authenticate(bearer(await issuedAt(seconds + 5)))).toEqual(ada);
    await expectRefused(await issuedAt(seconds + 6), "not_yet_valid");
    await expectRefused(await issuedAt(seconds + 61), "not_yet_valid", { clockTolerance: 60 });
    expect(await authenticate(bearer(await sign(without("iat"))))).toEqual(ada);
  });

  test("with maxAge, refuses a token that is older, issued in the future or without an issue time", async () => {
    const changes = { maxAge: "1h" };
    const old = { ...goodClaims, iat: seconds - 3606 };
    await expectRefused(await sign(old), "too_old", changes);
    await expectRefused(await sign({ ...goodClaims, iat: seconds + 60 }), "not_yet_valid", changes);
    await expectRefused(await sign(without("iat")), "missing_claim", changes);
    const { authenticate } = setUp(changes);
    expect(await authenticate(bearer(await sign({ ...goodClaims, iat: seconds - 3600 })))).toEqual(ada);
  });

  test("refuses another or a missing issuer or audience", async () => {
    await expectRefused(await sign({ ...goodClaims, iss: "https://login.example.com" }), "wrong_issuer");
    await expectRefused(await sign({ ...goodClaims, aud: "https://other.example" }), "wrong_audience");
    await expectRefused(await sign({ ...goodClaims, aud: [] }), "wrong_audience");
    await expectRefused(await sign(without("iss")), "missing_claim");
    await expectRefused(await sign(without("aud")), "missing_claim");
  });

  test("refuses a token of another type if the options require a type", async () => {
    const changes = { type: "at+jwt" };
    await expectRefused(await sign(goodClaims, { typ: "JWT" }), "wrong_type", changes);
    await expectRefused(await sign(), "wrong_type", changes);
    const { authenticate } = setUp(changes);
    expect(await authenticate(bearer(await sign(goodClaims, { typ: "application/at+jwt" })))).toEqual(ada);
  });

  test("passes only the reason to onRefusal, and survives an onRefusal that throws", async () => {
    const calls: unknown[][] = [];
    const token = await sign({ ...goodClaims, exp: 1 });
    const { authenticate } = setUp({
      onRefusal: (...all: unknown[]) => {
        calls.push(all);
        throw new Error("the logger is broken");
      },
    });
    expect(await authenticate(bearer(token))).toBeNull();
    expect(calls).toEqual([["expired"]]);
  });
});

describe("claims", () => {
  const read = async (claims: object, payload: object) => {
    const { authenticate, refusals } = setUp({ claims });
    const principal = await authenticate(bearer(await sign({ ...goodClaims, ...payload })));
    return principal ?? refusals[0];
  };
  const tenantId = "org_id";

  test("come from dotted paths, from names with dots, from functions and from a constant", async () => {
    expect(
      await read(
        { id: "user.id", tenantId: { constant: "acme" }, roles: "https://example.com/roles" },
        { user: { id: "u1" }, "https://example.com/roles": ["a", "b"] },
      ),
    ).toEqual({ id: "u1", tenantId: "acme", roles: ["a", "b"], authenticatedBy });
    expect(
      await read(
        { tenantId: ({ org_id }: { org_id: string }) => `t-${org_id}`, roles: ({ groups = [] }) => groups },
        {},
      ),
    ).toEqual({ id: "ada", tenantId: "t-acme", roles: [], authenticatedBy });
  });

  test("give no roles without the option, and no display name without the option or the claim", async () => {
    expect(await read({ tenantId }, {})).toEqual({ id: "ada", tenantId: "acme", roles: [], authenticatedBy });
    expect(await read({ tenantId, displayName: "nickname" }, {})).not.toHaveProperty("displayName");
  });

  test.each([
    ["id", { tenantId }, { sub: undefined }],
    ["id, null", { tenantId, id: "uid" }, { uid: null }],
    ["tenant", { tenantId: "tenant" }, {}],
    ["roles", { tenantId, roles: "groups" }, {}],
    ["nested roles", { tenantId, roles: "realm_access.roles" }, { realm_access: "none" }],
  ])("are refused if the token does not have them: %s", async (_what, claims, payload) => {
    expect(await read(claims, payload)).toBe("missing_claim");
  });

  test.each([
    ["a string", "admin"],
    ["an object", { admin: true }],
    ["numbers", [1]],
    ["a list with a list", [["admin"]]],
    ["an empty role", [""]],
    ["names with NUL", ["ad\0min"]],
    ["names of 201 characters", ["r".repeat(201)]],
  ])("are refused if the roles are %s", async (_what, roles) => {
    expect(await read({ tenantId, roles: "roles" }, { roles })).toBe("unusable_principal");
  });

  test.each([
    ["a text with NUL", "a\0"],
    ["a text of 201 characters", "a".repeat(201)],
    ["a text with a lone surrogate", "a\ud800"],
    ["an empty text", ""],
    ["a number", 7],
    ["an object", { toString: "ada" }],
  ])(
    "are refused with %s as the id or tenant, and, unless empty, as the display name",
    async (_what, value) => {
      expect(await read({ tenantId, id: "uid" }, { uid: value })).toBe("unusable_principal");
      expect(await read({ tenantId: "tid" }, { tid: value })).toBe("unusable_principal");
      if (value === "") return;
      expect(await read({ tenantId, displayName: "n" }, { n: value })).toBe("unusable_principal");
    },
  );

  test("give no display name if the display name is an empty text", async () => {
    const principal = await read({ tenantId, displayName: "n" }, { n: "" });
    expect(principal).toEqual({ id: "ada", tenantId: "acme", roles: [], authenticatedBy });
  });

  test.each([
    ["a zero-width space", "ada\u200b"],
    ["a soft hyphen", "ad\u00ada"],
    ["a reversal of direction", "\u202eada"],
    ["a line break", "ada\n"],
    ["a variation selector", "ada\ufe0f"],
    ["a Hangul filler", "ada\u3164"],
    ["a blank Braille pattern", "ada\u2800"],
    ["a no-break space", "ada\u00a0lovelace"],
    ["a space at the end", "ada "],
    ["two spaces", "ada  lovelace"],
  ])("are refused if the id, the tenant or a role has %s, which readers cannot see", async (_what, value) => {
    expect(await read({ tenantId, id: "uid" }, { uid: value })).toBe("unusable_principal");
    expect(await read({ tenantId: "tid" }, { tid: value })).toBe("unusable_principal");
    expect(await read({ tenantId, roles: "r" }, { r: ["support", value] })).toBe("unusable_principal");
    expect(await read({ tenantId, displayName: "n" }, { n: value })).toMatchObject({ displayName: value });
    expect(() => setUp({ claims: { tenantId: { constant: value } } })).toThrow(/claims\.tenantId/);
  });

  test("accept ids in any script, with accents and single spaces, and do not change their case", async () => {
    for (const id of ["Zoë Müller", "اليكس", "太郎", "A", "a", "a+b@example.com|1"]) {
      expect(await read({ tenantId, id: "uid" }, { uid: id })).toMatchObject({ id });
    }
  });

  test("are refused if an id is in another form than NFC", async () => {
    expect(await read({ tenantId, id: "uid" }, { uid: "zoe\u0308" })).toBe("unusable_principal");
  });

  test("accept an id of 200 characters", async () => {
    const id = "a".repeat(200);
    expect(await read({ tenantId, id: "uid" }, { uid: id })).toMatchObject({ id });
  });

  test("are refused if a claim's function throws", async () => {
    const broken = () => {
      throw new Error("no");
    };
    expect(await read({ tenantId: broken }, {})).toBe("unusable_principal");
  });

  test("do not include inherited properties, and are not changed by __proto__ in a token", async () => {
    expect(await read({ tenantId: "constructor.name" }, {})).toBe("missing_claim");
    expect(await read({ tenantId: "__proto__.org" }, {})).toBe("missing_claim");
    expect(await read({ tenantId, roles: "x.length" }, { x: "text" })).toBe("missing_claim");
    const poisoned = JSON.parse(
      '{"__proto__":{"roles":["admin"],"isAdmin":true},"constructor":{"prototype":{"roles":["admin"]}}}',
    );
    const { authenticate } = setUp({ claims: { tenantId, roles: ({ groups = [] }) => groups } });
    const payload = Object.defineProperty({ ...goodClaims, ...poisoned }, "__proto__", {
      value: { roles: ["admin"] },
      enumerable: true,
    });
    const token = await sign(payload);
    expect(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).toContain("__proto__");
    const principal = await authenticate(bearer(token));
    expect(principal).toEqual({ id: "ada", tenantId: "acme", roles: [], authenticatedBy });
    expect(Object.getPrototypeOf(principal)).toBe(Object.prototype);
    expect({}).not.toHaveProperty("roles");
  });
});

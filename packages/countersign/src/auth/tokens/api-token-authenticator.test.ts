import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { AuthRefusal } from "../authenticator.js";
import { createApiToken, looksLikeApiToken } from "./api-token.js";
import {
  type ApiTokenAuthenticatorOptions,
  type ApiTokenRecord,
  apiTokenAuthenticator,
} from "./api-token-authenticator.js";

const start = new Date("2026-06-01T12:00:00Z");
const bot = { id: "bot", tenantId: "acme", roles: ["operator"] };
const knownBot = (id = "a") => ({ ...bot, authenticatedBy: `api-token ${id}` });

function bearer(token: string) {
  return new Request("https://a.example/", { headers: { authorization: `Bearer ${token}` } });
}

function setUp(options: Record<string, unknown>) {
  const refusals: AuthRefusal[] = [];
  const authenticate = apiTokenAuthenticator({
    now: () => start,
    onRefusal: (reason: AuthRefusal) => refusals.push(reason),
    ...options,
  } as unknown as ApiTokenAuthenticatorOptions);
  return { authenticate, refusals };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

describe("an API token", () => {
  test("consists of cs_, 32 random bytes and a checksum, and comes with its SHA-256 hash", () => {
    const { token, hash } = createApiToken();
    expect(token).toMatch(/^cs_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/);
    expect(Buffer.from(token.slice(3, 46), "base64url")).toHaveLength(32);
    expect(hash).toBe(`sha256:${sha256(token)}`);
    expect(createApiToken().token).not.toBe(token);
  });

  test("has a checksum that detects every changed character and every swapped pair", () => {
    const { token } = createApiToken();
    expect(looksLikeApiToken(token)).toBe(true);
    for (let at = 0; at < token.length; at++) {
      const character = token.charAt(at);
      const mistyped = token.slice(0, at) + (character === "a" ? "b" : "a") + token.slice(at + 1);
      expect(looksLikeApiToken(mistyped), `character ${at}`).toBe(false);
      const next = token.charAt(at + 1);
      const swapped = token.slice(0, at) + next + character + token.slice(at + 2);
      if (next !== character)
        expect(looksLikeApiToken(swapped) && swapped !== token, `swap ${at}`).toBe(false);
    }
    expect(looksLikeApiToken(token.slice(0, -1))).toBe(false);
    expect(looksLikeApiToken(`${token}a`)).toBe(false);
  });

  test("has a CRC-32 checksum in base 62, which secret scanners can verify", () => {
    expect(looksLikeApiToken(`cs_${"A".repeat(43)}0pVBSI`)).toBe(true);
  });
});

describe("apiTokenAuthenticator with a list of tokens", () => {
  test("authenticates each token as its own principal", async () => {
    const [first, second] = [createApiToken(), createApiToken()];
    const { authenticate, refusals } = setUp({
      tokens: [
        { id: "first", hash: first.hash, principal: bot },
        { id: "second", hash: sha256(second.token).toUpperCase(), principal: { ...bot, id: "bot-2" } },
      ],
    });
    expect(await authenticate(bearer(first.token))).toEqual(knownBot("first"));
    expect(await authenticate(bearer(second.token))).toMatchObject({ id: "bot-2" });
    expect(refusals).toEqual([]);
  });

  test("refuses unknown, mistyped, foreign, missing and oversize tokens", async () => {
    const { token, hash } = createApiToken();
    const { authenticate, refusals } = setUp({ tokens: [{ id: "a", hash, principal: bot }] });
    expect(await authenticate(bearer(createApiToken().token))).toBeNull();
    expect(await authenticate(bearer(token.slice(0, -1) + (token.endsWith("a") ? "b" : "a")))).toBeNull();
    expect(await authenticate(bearer(hash.slice("sha256:".length)))).toBeNull();
    expect(await authenticate(new Request("https://a.example/"))).toBeNull();
    expect(await authenticate(bearer(`cs_${"a".repeat(20_000)}`))).toBeNull();
    expect(refusals).toEqual(["unknown_token", "malformed", "malformed", "no_credentials", "too_large"]);
  });

  test("refuses a token from its expiry time on", async () => {
    const { token, hash } = createApiToken();
    let now = new Date(start.getTime() - 1);
    const { authenticate, refusals } = setUp({
      tokens: [{ id: "a", hash, principal: bot, expiresAt: start }],
      now: () => now,
    });
    expect(await authenticate(bearer(token))).toEqual(knownBot());
    now = start;
    expect(await authenticate(bearer(token))).toBeNull();
    expect(refusals).toEqual(["expired"]);
  });

  test("is not affected by later changes to the list's principal or to a returned principal", async () => {
    const { token, hash } = createApiToken();
    const principal = { ...bot, roles: ["operator"], secretNote: "x" };
    const { authenticate } = setUp({ tokens: [{ id: "a", hash, principal }] });
    principal.roles.push("admin");
    (await authenticate(bearer(token)))?.roles.push("admin");
    expect(await authenticate(bearer(token))).toEqual(knownBot());
  });

  const { hash } = createApiToken();
  const good = { id: "a", hash, principal: bot };
  test.each<[string, string, Record<string, unknown>]>([
    ["tokens | lookup", "neither", {}],
    ["tokens | lookup", "both", { tokens: [], lookup: async () => null }],
    ["tokens", "no list", { tokens: {} }],
    ["lookup", "no function", { lookup: "table" }],
    ["tokens[0].id", "no id", { tokens: [{ ...good, id: "" }] }],
    ["tokens[1].id", "the same id again", { tokens: [good, good] }],
    ["tokens[0].id", "no record", { tokens: [null] }],
    [
      "tokens[0].hash",
      "the token in place of its hash",
      { tokens: [{ ...good, hash: createApiToken().token }] },
    ],
    ["tokens[0].hash", "a short hash", { tokens: [{ ...good, hash: hash.slice(0, -2) }] }],
    [
      "tokens[0].principal",
      "a principal whose tenant has no value",
      { tokens: [{ ...good, principal: { id: "a", tenantId: undefined, roles: [] } }] },
    ],
    [
      "tokens[0].principal",
      "a role with NUL",
      { tokens: [{ ...good, principal: { ...bot, roles: ["\0"] } }] },
    ],
    ["tokens[0].expiresAt", "text for a date", { tokens: [{ ...good, expiresAt: "2027-01-01" }] }],
    ["tokens[0].expiresAt", "no date", { tokens: [{ ...good, expiresAt: new Date("never") }] }],
  ])("refuses an invalid option %s: %s", (option, _what, options) => {
    expect(() => setUp(options)).toThrow(
      expect.objectContaining({ code: "invalid_option", message: expect.stringContaining(`${option}: `) }),
    );
  });

  test("does not repeat in its error message a token that was given as a hash", () => {
    const { token } = createApiToken();
    expect(() => setUp({ tokens: [{ ...good, hash: token }] })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(token) }),
    );
  });
});

describe("apiTokenAuthenticator with a lookup", () => {
  const { token, hash } = createApiToken();
  const record: ApiTokenRecord = { id: "a", hash, principal: bot, expiresAt: null };

  test("passes the hash to the lookup as createApiToken returns it, and never the token", async () => {
    const hashes: string[] = [];
    const { authenticate } = setUp({
      lookup: async (hash: string) => {
        hashes.push(hash);
        return record;
      },
    });
    expect(await authenticate(bearer(token))).toEqual(knownBot());
    expect(hashes).toEqual([hash]);
  });

  test("does not look up a mistyped token", async () => {
    const { authenticate, refusals } = setUp({ lookup: () => expect.unreachable() });
    expect(await authenticate(bearer(`${token.slice(0, -6)}000000`))).toBeNull();
    expect(refusals).toEqual(["malformed"]);
  });

  test.each<[string, AuthRefusal, () => unknown]>([
    ["null", "unknown_token", () => null],
    ["undefined", "unknown_token", () => undefined],
    ["the record of another token", "unknown_token", () => ({ ...record, hash: createApiToken().hash })],
    ["an expired record", "expired", () => ({ ...record, expiresAt: start })],
    ["a record whose expiry is text", "unusable_principal", () => ({ ...record, expiresAt: "2099-01-01" })],
    ["a record without a principal", "unusable_principal", () => ({ ...record, principal: undefined })],
    ["a value that is not a record", "unusable_principal", () => true],
  ])("refuses a token if the lookup finds %s", async (_what, reason, lookup) => {
    const { authenticate, refusals } = setUp({ lookup: async () => lookup() });
    expect(await authenticate(bearer(token))).toBeNull();
    expect(refusals).toEqual([reason]);
  });

  test("refuses a token, and does not throw, if the lookup throws or rejects", async () => {
    const fails = () => {
      throw new Error("the database is down");
    };
    for (const lookup of [fails, async () => fails()]) {
      const { authenticate, refusals } = setUp({ lookup });
      expect(await authenticate(bearer(token))).toBeNull();
      expect(refusals).toEqual(["lookup_failed"]);
    }
  });
});

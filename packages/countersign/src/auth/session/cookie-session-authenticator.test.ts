import { EncryptJWT, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import type { AuthRefusal } from "../authenticator.js";
import { type CookieSessionOptions, cookieSessionAuthenticator } from "./cookie-session-authenticator.js";
import { sessionKeys } from "./session-keys.js";

const origin = "https://approvals.example.com";
const start = new Date("2026-06-01T12:00:00Z").getTime();
const hour = 3600;
const key = "k".repeat(32);
const newKey = "n".repeat(32);
const ada = { id: "ada", tenantId: "acme", roles: ["support"], displayName: "Ada" };
const signedIn = { ...ada, authenticatedBy: "session" };

/** A session authenticator whose clock the test moves, and the reasons of its refusals. */
function setUp(changes: Record<string, unknown> = {}) {
  let clock = start;
  const refusals: AuthRefusal[] = [];
  const session = cookieSessionAuthenticator({
    keys: [key],
    now: () => new Date(clock),
    onRefusal: (reason: AuthRefusal) => refusals.push(reason),
    ...changes,
  } as CookieSessionOptions);
  return {
    ...session,
    refusals,
    later: (seconds: number) => {
      clock += seconds * 1000;
    },
  };
}

/** The request that a browser would send after it got this `Set-Cookie`. */
function withCookie(setCookie: string, init: RequestInit = {}, url = `${origin}/api/approvals`) {
  const headers = { cookie: `theme=dark; ${setCookie.split(";")[0]}; x=1`, ...init.headers };
  return new Request(url, { ...init, headers });
}

function sealedIn(setCookie: string): string {
  return (setCookie.split(";")[0] ?? "").split("=").slice(1).join("=");
}

describe("signing in", () => {
  test("returns a Secure, HttpOnly, host-bound cookie that authenticates the principal", async () => {
    const { signIn, authenticate } = setUp();
    const cookie = await signIn(ada);
    expect(cookie).toMatch(
      /^__Host-countersign=[\w-]+\.\.[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(cookie).not.toContain("Domain");
    expect(await authenticate(withCookie(cookie))).toEqual(signedIn);
    const known = { ...ada, authenticatedBy: "jwt https://login.example.com/" };
    expect(await authenticate(withCookie(await signIn(known)))).toEqual(known);
  });

  test("encrypts the cookie, which is different each time", async () => {
    const { signIn } = setUp();
    const [first, second] = [await signIn(ada), await signIn(ada)];
    expect(first).not.toBe(second);
    const parts = sealedIn(first)
      .split(".")
      .map((part) => Buffer.from(part, "base64url").toString("latin1"));
    expect(parts.join()).not.toMatch(/ada|acme|support/);
    expect(JSON.parse(parts[0] ?? "")).toMatchObject({ alg: "dir", enc: "A256GCM" });
  });

  test("keeps only the known fields of the principal", async () => {
    const { signIn, authenticate } = setUp();
    const cookie = await signIn({ ...ada, password: "x" } as typeof ada);
    expect(await authenticate(withCookie(cookie))).toEqual(signedIn);
  });

  test.each([
    ["a NUL in the id", { ...ada, id: "a\0" }],
    ["a zero-width space in the id", { ...ada, id: "ada\u200b" }],
    ["a long role", { ...ada, roles: ["r".repeat(201)] }],
    ["no tenant", { ...ada, tenantId: "" }],
    ["null", null],
    [
      "more roles than a cookie holds",
      { ...ada, roles: Array.from({ length: 40 }, (_, n) => `${n}`.padEnd(100, "r")) },
    ],
  ])("refuses %s", async (_what, principal) => {
    await expect(setUp().signIn(principal as typeof ada)).rejects.toMatchObject({
      code: "invalid_option",
      message: expect.stringMatching(/^principal: /),
    });
  });
});

test("signing out removes the cookie", () => {
  expect(setUp().signOut()).toBe("__Host-countersign=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure");
});

describe("the secure cookie", () => {
  test.each(["http://localhost:3000", "http://127.0.0.1:3000", "http://[::1]:3000"])(
    "is replaced by a plain one for %s",
    async (local) => {
      const { signIn, signOut, authenticate } = setUp();
      const request = new Request(`${local}/sign-in`, { method: "POST", headers: { origin: local } });
      const cookie = await signIn(ada, request);
      expect(cookie).toMatch(/^countersign=[^;]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/);
      expect(signOut(request)).toBe("countersign=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
      expect(await authenticate(withCookie(cookie, {}, `${local}/api`))).toEqual(signedIn);
    },
  );

  test.each<[string, string, Record<string, string>]>([
    ["localhost with TLS", "https://localhost:3000", {}],
    ["another host without TLS", "http://approvals.internal", {}],
    ["a host name that only begins with localhost", "http://localhost.evil.example", {}],
    ["a proxy that reports https", "http://127.0.0.1:3000", { "x-forwarded-proto": "https" }],
    ["a page of another origin behind a proxy that reports nothing", "http://127.0.0.1:3000", { origin }],
  ])("is used for %s", async (_what, url, headers) => {
    const cookie = await setUp().signIn(ada, new Request(url, { headers }));
    expect(cookie).toMatch(/^__Host-countersign=.*; Secure$/);
  });

  test("is always used with secure: true, and never with secure: false", async () => {
    const local = new Request("http://localhost:3000/");
    expect(await setUp({ secure: true }).signIn(ada, local)).toMatch(/^__Host-countersign=.*; Secure$/);
    const plain = setUp({ secure: false });
    const cookie = await plain.signIn(ada);
    expect(cookie).toMatch(/^countersign=(?!.*Secure)/);
    expect(await plain.authenticate(withCookie(cookie))).toEqual(signedIn);
  });

  test("is the only one that counts over TLS, where a sibling host could have set a plain one", async () => {
    const { signIn, authenticate, refusals } = setUp();
    const cookie = await signIn(ada);
    const tossed = new Request(origin, { headers: { cookie: `countersign=${sealedIn(cookie)}` } });
    expect(await authenticate(tossed)).toBeNull();
    expect(refusals).toEqual(["no_credentials"]);
  });
});

describe("a session", () => {
  test("ends twelve hours after the sign-in", async () => {
    const { signIn, authenticate, later, refusals } = setUp();
    const cookie = await signIn(ada);
    later(12 * hour - 1);
    expect(await authenticate(withCookie(cookie))).toEqual(signedIn);
    later(1);
    expect(await authenticate(withCookie(cookie))).toBeNull();
    expect(refusals).toEqual(["expired"]);
  });

  test("ends when it has not been used for its idle time", async () => {
    const { signIn, authenticate, later, refusals } = setUp({ idle: "1h" });
    const cookie = await signIn(ada);
    later(hour - 1);
    expect(await authenticate(withCookie(cookie))).toEqual(signedIn);
    later(1);
    expect(await authenticate(withCookie(cookie))).toBeNull();
    expect(refusals).toEqual(["idle"]);
  });

  test("is prolonged by renewals, but not beyond its ttl", async () => {
    const { signIn, authenticate, renew, later } = setUp({ idle: "1h", ttl: "3h" });
    let cookie = await signIn(ada);
    later(359);
    expect(await renew(withCookie(cookie))).toBeNull();
    later(1);
    for (let minutes = 6; minutes < 180; minutes += 6) {
      const renewed = await renew(withCookie(cookie));
      expect(renewed, `minute ${minutes}`).toContain(`Max-Age=${(180 - minutes) * 60};`);
      cookie = renewed ?? "";
      expect(await authenticate(withCookie(cookie))).toEqual(signedIn);
      later(360);
    }
    expect(await authenticate(withCookie(cookie))).toBeNull();
    expect(await renew(withCookie(cookie))).toBeNull();
  });

  test("needs no renewal without an idle time and with the current key", async () => {
    const { signIn, renew, later } = setUp();
    const cookie = await signIn(ada);
    later(11 * hour);
    expect(await renew(withCookie(cookie))).toBeNull();
    expect(await renew(new Request(origin))).toBeNull();
  });
});

describe("the encryption keys", () => {
  test("accept a session of an older key, which a renewal encrypts with the current key", async () => {
    const before = await setUp().signIn(ada);
    const rotating = setUp({ keys: [newKey, key] });
    expect(await rotating.authenticate(withCookie(before))).toEqual(signedIn);
    rotating.later(hour);
    const after = (await rotating.renew(withCookie(before))) ?? "";
    expect(after).toContain(`Max-Age=${11 * hour};`);
    expect(await rotating.renew(withCookie(after))).toBeNull();

    const rotated = setUp({ keys: [newKey] });
    expect(await rotated.authenticate(withCookie(after))).toEqual(signedIn);
    expect(await rotated.authenticate(withCookie(before))).toBeNull();
    expect(rotated.refusals).toEqual(["unknown_key"]);
  });

  test("may be bytes, or text, which counts as its UTF-8 bytes", async () => {
    const cookie = await setUp({ keys: [new TextEncoder().encode(key)] }).signIn(ada);
    expect(await setUp().authenticate(withCookie(cookie))).toEqual(signedIn);
  });

  test("do not open a cookie that was made under another cookie name", async () => {
    const cookie = await setUp({ cookieName: "__Host-other" }).signIn(ada);
    const { authenticate, refusals } = setUp();
    expect(await authenticate(withCookie(`__Host-countersign=${sealedIn(cookie)}`))).toBeNull();
    expect(refusals).toEqual(["unknown_key"]);
  });
});

describe("a forged or broken cookie", () => {
  const [{ id: kid, encryption }] = sessionKeys([key], "__Host-countersign");
  const header = { alg: "dir", enc: "A256GCM", kid };
  const refusal = async (value: string) => {
    const { authenticate, refusals } = setUp();
    expect(await authenticate(withCookie(`__Host-countersign=${value}`))).toBeNull();
    return refusals[0];
  };

  test("is refused if one of its characters was changed", async () => {
    const value = sealedIn(await setUp().signIn(ada));
    for (let at = 0; at < value.length; at += 3) {
      const character = value.charAt(at);
      if (character === ".") continue;
      const { authenticate } = setUp();
      const changed = value.slice(0, at) + (character === "A" ? "Q" : "A") + value.slice(at + 1);
      expect(await authenticate(withCookie(`__Host-countersign=${changed}`)), `character ${at}`).toBeNull();
    }
  });

  test("is refused if it is empty, malformed, an unsigned or signed JWT, or too large", async () => {
    expect(await refusal("")).toBe("no_credentials");
    const signed = await new SignJWT({ principal: ada })
      .setProtectedHeader({ alg: "HS256", kid })
      .setIssuedAt(start / 1000)
      .setExpirationTime(start / 1000 + 60)
      .sign(encryption);
    for (const value of ["x", "....", "a.b.c", "eyJhbGciOiJub25lIn0.e30.", signed])
      expect(await refusal(value)).toBe("malformed");
    expect(await refusal("a".repeat(5000))).toBe("too_large");
  });

  test("is refused if it has the right key id but was encrypted with another key", async () => {
    const forged = await new EncryptJWT({ principal: ada })
      .setProtectedHeader(header)
      .setIssuedAt(start / 1000)
      .setExpirationTime(start / 1000 + 60)
      .encrypt(new Uint8Array(32));
    expect(await refusal(forged)).toBe("bad_signature");
  });

  test.each([
    { ...header, alg: "A256KW" },
    { ...header, enc: "A256CBC-HS512", alg: "A256GCMKW" },
  ])("is refused if it uses the right key with another header: %j", async (otherHeader) => {
    const forged = await new EncryptJWT({ principal: ada })
      .setProtectedHeader(otherHeader)
      .setIssuedAt(start / 1000)
      .setExpirationTime(start / 1000 + 60)
      .encrypt(encryption);
    expect(await refusal(forged)).toBe("malformed");
  });

  test("is refused if it uses the right key but has no expiry or no valid principal", async () => {
    const seal = (payload: object) =>
      new EncryptJWT({ ...payload }).setProtectedHeader(header).encrypt(encryption);
    const times = { iat: start / 1000, exp: start / 1000 + 60 };
    expect(await refusal(await seal({ principal: ada, iat: times.iat }))).toBe("malformed");
    expect(await refusal(await seal({ ...times }))).toBe("unusable_principal");
    expect(await refusal(await seal({ ...times, principal: { ...ada, roles: "admin" } }))).toBe(
      "unusable_principal",
    );
  });
});

describe("a request that changes something", () => {
  test("must come from the site's own origin", async () => {
    const { signIn, authenticate, refusals } = setUp();
    const cookie = await signIn(ada);
    const post = (headers: Record<string, string>) =>
      authenticate(withCookie(cookie, { method: "POST", headers }));
    expect(await post({ origin })).toEqual(signedIn);
    expect(await post({ "sec-fetch-site": "same-origin" })).toEqual(signedIn);
    expect(refusals).toEqual([]);
    expect(await post({})).toBeNull();
    expect(await post({ origin: "https://evil.example" })).toBeNull();
    expect(await post({ origin: "null" })).toBeNull();
    expect(await post({ "sec-fetch-site": "cross-site" })).toBeNull();
    expect(refusals).toEqual(Array(4).fill("foreign_origin"));
  });

  test("must come from one of the allowed origins behind a proxy", async () => {
    const { signIn, authenticate } = setUp({ allowedOrigins: [origin] });
    const cookie = await signIn(ada);
    const post = (from: string) =>
      authenticate(
        withCookie(cookie, { method: "POST", headers: { origin: from } }, "http://10.0.0.7:3000/"),
      );
    expect(await post(origin)).toEqual(signedIn);
    expect(await post("http://10.0.0.7:3000")).toBeNull();
  });

  test("does not renew a session if it comes from another origin", async () => {
    const cookie = await setUp().signIn(ada);
    const { renew } = setUp({ keys: [newKey, key] });
    const headers = { origin: "https://evil.example" };
    expect(await renew(withCookie(cookie, { method: "POST", headers }))).toBeNull();
  });
});

test.each<[string, string, Record<string, unknown>]>([
  ["keys", "no keys", { keys: undefined }],
  ["keys", "an empty list", { keys: [] }],
  ["keys", "a key that is not in a list", { keys: key }],
  ["keys[0]", "a short key", { keys: ["k".repeat(31)] }],
  ["keys[0]", "an empty key, as of a missing variable", { keys: [""] }],
  ["keys[1]", "a short older key", { keys: [key, new Uint8Array(31)] }],
  ["keys[0]", "a number", { keys: [32] }],
  ["cookieName", "a name with a space", { cookieName: "my session" }],
  ["cookieName", "a name that adds a field", { cookieName: "a; Domain=evil.example" }],
  ["cookieName", "an empty name", { cookieName: "" }],
  ["ttl", "text that is not a duration", { ttl: "a while" }],
  ["ttl", "a negative duration", { ttl: "-1h" }],
  ["ttl", "a number", { ttl: 3600 }],
  ["idle", "an empty text", { idle: "" }],
  ["allowedOrigins", "a wildcard", { allowedOrigins: ["*"] }],
])("cookieSessionAuthenticator refuses an invalid %s: %s", (option, _what, changes) => {
  expect(() => setUp(changes)).toThrow(
    expect.objectContaining({ code: "invalid_option", message: expect.stringContaining(`${option}: `) }),
  );
});

test("an error message about keys does not repeat a key", () => {
  const keys = [`hunter2-${"x".repeat(20)}`];
  expect(() => setUp({ keys })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining("hunter2") }),
  );
});

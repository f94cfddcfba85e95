import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { expect, test } from "vitest";
import type { AuthRefusal } from "../authenticator.js";
import { jwtAuthenticator } from "./jwt-authenticator.js";

interface SigningKey {
  kid: string;
  jwk: JWK;
  privateKey: CryptoKey;
}

async function signingKey(kid: string): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  return { kid, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" }, privateKey };
}

/** A local key endpoint, and an authenticator that fetches its keys. The test moves the clock. */
async function setUp(...keys: SigningKey[]) {
  let published = JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
  let status = 200;
  let fetches = 0;
  const server = createServer((_request, response) => {
    fetches += 1;
    response.writeHead(status, { "content-type": "application/json" }).end(published);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });

  let clock = new Date("2026-06-01T12:00:00Z").getTime();
  const refusals: AuthRefusal[] = [];
  const authenticate = jwtAuthenticator({
    jwksUrl: `http://127.0.0.1:${port}/jwks.json`,
    issuer: "i",
    audience: "a",
    algorithms: ["ES256"],
    claims: { tenantId: "tid" },
    now: () => new Date(clock),
    onRefusal: (reason) => refusals.push(reason),
  });

  return {
    refusals,
    fetches: () => fetches,
    publish: (...next: SigningKey[]) => {
      published = JSON.stringify({ keys: next.map(({ jwk }) => jwk) });
    },
    answer: (nextStatus: number, body?: string) => {
      status = nextStatus;
      if (body !== undefined) published = body;
    },
    close,
    later: (seconds: number) => {
      clock += seconds * 1000;
    },
    /** Signs a token with this key, and returns the id of its principal, or null if the token is refused. */
    async authenticate({ kid, privateKey }: SigningKey) {
      const token = await new SignJWT({ tid: "acme" })
        .setProtectedHeader({ alg: "ES256", kid })
        .setIssuer("i")
        .setAudience("a")
        .setSubject("ada")
        .setExpirationTime(clock / 1000 + 60)
        .sign(privateKey);
      const headers = { authorization: `Bearer ${token}` };
      return (await authenticate(new Request("https://a.example/", { headers })))?.id ?? null;
    },
    [Symbol.asyncDispose]: close,
  };
}

test("keys are fetched once, also for simultaneous requests", async () => {
  const key = await signingKey("k1");
  await using issuer = await setUp(key);
  expect(await Promise.all([1, 2, 3, 4].map(() => issuer.authenticate(key)))).toEqual(Array(4).fill("ada"));
  expect(await issuer.authenticate(key)).toBe("ada");
  expect(issuer.fetches()).toBe(1);
});

test("an unknown key id causes a new fetch, which finds the issuer's new key", async () => {
  const [first, second] = [await signingKey("k1"), await signingKey("k2")];
  await using issuer = await setUp(first);
  expect(await issuer.authenticate(first)).toBe("ada");

  issuer.publish(first, second);
  issuer.later(30);
  expect(await issuer.authenticate(second)).toBe("ada");
  expect(await issuer.authenticate(first)).toBe("ada");
  expect(issuer.fetches()).toBe(2);
});

test("unknown key ids cause at most one fetch in 30 seconds", async () => {
  const [known, unknown] = [await signingKey("k1"), await signingKey("k2")];
  await using issuer = await setUp(known);
  expect(await issuer.authenticate(known)).toBe("ada");
  issuer.later(29);
  for (let again = 0; again < 5; again++) expect(await issuer.authenticate(unknown)).toBeNull();
  expect(issuer.fetches()).toBe(1);

  issuer.later(1);
  for (let again = 0; again < 5; again++) expect(await issuer.authenticate(unknown)).toBeNull();
  expect(issuer.fetches()).toBe(2);
  expect(new Set(issuer.refusals)).toEqual(new Set(["unknown_key"]));
});

test("a key that the issuer withdrew stops working within ten minutes", async () => {
  const [first, second] = [await signingKey("k1"), await signingKey("k2")];
  await using issuer = await setUp(first);
  expect(await issuer.authenticate(first)).toBe("ada");
  issuer.publish(second);
  issuer.later(599);
  expect(await issuer.authenticate(first)).toBe("ada");
  issuer.later(1);
  expect(await issuer.authenticate(first)).toBeNull();
  expect(issuer.refusals).toEqual(["unknown_key"]);
});

test("tokens are refused, and nothing is thrown, if the key endpoint is down from the start", async () => {
  const key = await signingKey("k1");
  await using issuer = await setUp(key);
  await issuer.close();
  expect(await issuer.authenticate(key)).toBeNull();
  expect(issuer.refusals).toEqual(["keys_unavailable"]);
});

test("known keys verify tokens for ten minutes while the key endpoint is down", async () => {
  const [known, unknown] = [await signingKey("k1"), await signingKey("k2")];
  await using issuer = await setUp(known);
  expect(await issuer.authenticate(known)).toBe("ada");
  await issuer.close();
  issuer.later(300);
  expect(await issuer.authenticate(unknown)).toBeNull();
  expect(await issuer.authenticate(known)).toBe("ada");
  issuer.later(300);
  expect(await issuer.authenticate(known)).toBeNull();
  expect(issuer.refusals).toEqual(["keys_unavailable", "keys_unavailable"]);
});

test.each([
  [500, "{}"],
  [302, "{}"],
  [200, "<html>maintenance</html>"],
  [200, "{}"],
  [200, '{"keys":"none"}'],
])("the keys are fetched again five seconds after a response of %i with %s", async (status, body) => {
  const key = await signingKey("k1");
  await using issuer = await setUp(key);
  issuer.answer(status, body);
  for (let again = 0; again < 3; again++) expect(await issuer.authenticate(key)).toBeNull();
  expect(issuer.fetches()).toBe(1);
  expect(issuer.refusals).toEqual(Array(3).fill("keys_unavailable"));

  issuer.answer(200);
  issuer.publish(key);
  issuer.later(5);
  expect(await issuer.authenticate(key)).toBe("ada");
});

test("a published secret never verifies a token", async () => {
  const key = await signingKey("k1");
  await using issuer = await setUp(key);
  issuer.answer(200, JSON.stringify({ keys: [{ kty: "oct", kid: "k1", k: "c2VjcmV0", alg: "ES256" }] }));
  expect(await issuer.authenticate(key)).toBeNull();
  expect(issuer.refusals).toEqual(["unknown_key"]);
});

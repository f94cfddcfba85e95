import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type AuthRefusal, jwtAuthenticator } from "countersign/auth";
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiFor, refusals } from "../support/attack.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

const issuer = "https://login.example.com/";
const audience = "https://approvals.example.com";
const seconds = Math.floor(Date.now() / 1000);
const good = {
  iss: issuer,
  aud: audience,
  sub: "finance",
  org_id: "acme",
  roles: ["finance"],
  exp: seconds + 600,
};

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;

describe("a JWT sent to the approvals API", () => {
  let rsa: Pair;
  let eve: Pair;
  let world: Awaited<ReturnType<typeof openWaitingRefund>>;
  let attack: ReturnType<typeof apiFor>["attack"];
  let server: ReturnType<typeof createServer>;
  const reasons: AuthRefusal[] = [];

  beforeAll(async () => {
    rsa = await generateKeyPair("RS256", { extractable: true });
    eve = await generateKeyPair("RS256", { extractable: true });
    const jwk = { ...(await exportJWK(rsa.publicKey)), kid: "current", alg: "RS256", use: "sig" };
    const secret = { kty: "oct", kid: "secret", k: "c2VjcmV0", alg: "HS256" };
    server = createServer((_request, response) => {
      const jwks = JSON.stringify({ keys: [jwk, { ...jwk, kid: "older" }, secret] });
      response.writeHead(200, { "content-type": "application/json" }).end(jwks);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    world = await openWaitingRefund();
    const authenticate = jwtAuthenticator({
      jwksUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
      issuer,
      audience,
      algorithms: ["RS256"],
      claims: { tenantId: "org_id", roles: "roles" },
      onRefusal: (reason) => reasons.push(reason),
    });
    attack = apiFor(world.harness.countersign, { authenticate }).attack;
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    server.closeAllConnections();
    server.close();
  });

  const sign = (claims: JWTPayload = good, header: object = {}, key = rsa.privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "current", ...header }).sign(key);
  const without = (...names: string[]): JWTPayload =>
    Object.fromEntries(Object.entries(good).filter(([name]) => !names.includes(name)));
  const withSecret = (secret: string, header: object) =>
    new SignJWT(good).setProtectedHeader({ alg: "HS256", ...header }).sign(new TextEncoder().encode(secret));
  const decide = (token: string) =>
    attack(null, {
      path: `/approvals/${world.approval.id}/decision`,
      body: { type: "approve", digest: world.approval.digest },
      headers: { authorization: `Bearer ${token}` },
    });

  const cases: [string, AuthRefusal, () => Promise<string> | string][] = [
    ["unsigned", "algorithm_not_allowed", () => new UnsecuredJWT(good).encode()],
    [
      "signed with the public key as a secret",
      "algorithm_not_allowed",
      async () => withSecret(await exportSPKI(rsa.publicKey), { kid: "current" }),
    ],
    [
      "signed with a secret that was published among the keys",
      "algorithm_not_allowed",
      () => withSecret("secret", { kid: "secret" }),
    ],
    ["of another issuer", "wrong_issuer", () => sign({ ...good, iss: "https://evil.example/" })],
    ["for another audience", "wrong_audience", () => sign({ ...good, aud: "https://other.example" })],
    ["expired", "expired", () => sign({ ...good, exp: seconds - 60 })],
    ["not yet valid", "not_yet_valid", () => sign({ ...good, nbf: seconds + 600 })],
    ["without an expiry", "missing_claim", () => sign(without("exp"))],
    ["of another key under the known id", "bad_signature", () => sign(good, {}, eve.privateKey)],
    [
      "of a key in its own header",
      "bad_signature",
      async () => sign(good, { jwk: await exportJWK(eve.publicKey) }, eve.privateKey),
    ],
    [
      "of a key at an address in its header",
      "bad_signature",
      () => sign(good, { jku: "https://evil.example/jwks.json" }, eve.privateKey),
    ],
    ["of an unknown key", "unknown_key", () => sign(good, { kid: "nobody" }, eve.privateKey)],
    ["without a key id, where several keys would fit", "unknown_key", () => sign(good, { kid: undefined })],
    ["without a tenant", "missing_claim", () => sign(without("org_id"))],
    ["without roles", "missing_claim", () => sign(without("roles"))],
    ["with roles in one string", "unusable_principal", () => sign({ ...good, roles: "finance" })],
    ["with a tenant that is an array", "unusable_principal", () => sign({ ...good, org_id: ["acme"] })],
    [
      "with one changed claim",
      "bad_signature",
      async () => {
        const [header, , signature] = (await sign({ ...good, sub: "eve" })).split(".");
        return [header, Buffer.from(JSON.stringify(good)).toString("base64url"), signature].join(".");
      },
    ],
    ["that is no JWT", "malformed", () => "x.y.z"],
  ];

  it("that is invalid gets the same 401 for every reason, which only the operator learns", async () => {
    const answers = new Set<string>();
    for (const [what, reason, make] of cases) {
      reasons.length = 0;
      const answer = await decide(await make());
      expect([what, answer.status, reasons]).toEqual([what, 401, [reason]]);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      answers.add(answer.text);
    }
    reasons.length = 0;
    const none = await attack(null, {
      path: `/approvals/${world.approval.id}/decision`,
      body: { type: "approve", digest: world.approval.digest },
    });
    answers.add(none.text);
    expect(reasons).toEqual(["no_credentials"]);
    expect(answers.size).toBe(1);
    expect((await world.harness.approval(world.approval.id)).status).toBe("pending");
    expect(await refusals(world.harness.store, world.approval.id)).toEqual([]);
  });

  it("that is valid decides the call, and the log records how its sender was authenticated", async () => {
    expect((await decide(await sign())).status).toBe(200);
    await world.harness.ended(world.runId);
    const trail = await world.harness.store.auditTrail("acme", world.approval.id);
    expect(trail.find(({ type }) => type === "approval.approved")).toMatchObject({
      actorId: "finance",
      data: { via: `jwt ${issuer}`, roles: ["finance"] },
    });
  });
});

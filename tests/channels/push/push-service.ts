import { randomBytes } from "node:crypto";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { importJWK, jwtVerify } from "jose";
import { certificate, certificateKey } from "../webhooks/test-certificate.js";
import { browserKeys } from "./decrypt.js";

/** A message that the service has accepted for a browser. */
interface Accepted {
  /** The decrypted text. */
  text: string;
  ttl: number;
  topic: string | undefined;
  urgency: string | undefined;
}

/** An answer other than the service's own. */
interface Answer {
  status: number;
  headers?: Record<string, string>;
}

const maxBytes = 4_096;
const dayInSeconds = 24 * 60 * 60;

/**
 * A push service on this machine that checks messages as the browsers' own do: the sender's signature (RFC 8292), the
 * encryption, the size and the headers (RFC 8030).
 */
export async function openPushService(publicKey: string) {
  let subscribed = 0;
  /** Browsers by the path of their endpoint. */
  const browsers = new Map<
    string,
    { decrypt: (body: Buffer) => string; accepted: Accepted[]; gone?: number }
  >();
  const answers: Answer[] = [];
  /** Why messages were refused. */
  const refused: string[] = [];
  /** All requests. */
  const requests: { path: string; status: number; bytes: number }[] = [];
  let origin = "";

  const server = createServer({ cert: certificate, key: certificateKey }, async (request, response) => {
    const path = request.url ?? "";
    const body = await buffer(request);
    const answer = answers.shift() ?? (await judge(path, request.method, request.headers, body));
    requests.push({ path, status: answer.status, bytes: body.length });
    // A real service may quote what it got.
    response.writeHead(answer.status, answer.headers).end(`Refused ${path}`);
  });

  async function judge(
    path: string,
    method: string | undefined,
    headers: Record<string, string | string[] | undefined>,
    body: Buffer,
  ): Promise<Answer> {
    const refuse = (status: number, why: string) => {
      refused.push(why);
      return { status };
    };
    const browser = browsers.get(path);
    if (!browser || browser.gone) return { status: browser?.gone ?? 404 };
    if (method !== "POST") return refuse(405, "not a POST");
    const problem = await vapidProblem(String(headers.authorization), { publicKey, origin });
    if (problem) return refuse(403, problem);
    const ttl = String(headers.ttl);
    if (!/^\d+$/.test(ttl)) return refuse(400, "no TTL");
    if (headers["content-encoding"] !== "aes128gcm") return refuse(415, "not aes128gcm");
    if (body.length > maxBytes) return refuse(413, "too large");
    const topic = headers.topic?.toString();
    if (topic !== undefined && !/^[\w-]{1,32}$/.test(topic)) return refuse(400, "a bad topic");
    // A browser drops what it cannot decrypt.
    const accepted = { text: browser.decrypt(body), ttl: Number(ttl), topic };
    browser.accepted.push({ ...accepted, urgency: headers.urgency?.toString() });
    return { status: 201, headers: { location: `${origin}/message/1` } };
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  origin = `https://localhost:${port}`;
  return {
    ...{ origin, answers, refused, requests, certificate },
    /** Subscribes a new browser. */
    subscribe() {
      const { keys, decrypt } = browserKeys();
      subscribed += 1;
      const path = `/push/${subscribed}-${randomBytes(16).toString("base64url")}`;
      const accepted: Accepted[] = [];
      const browser: { decrypt: typeof decrypt; accepted: Accepted[]; gone?: number } = { decrypt, accepted };
      browsers.set(path, browser);
      return {
        subscription: { endpoint: origin + path, expirationTime: null, keys },
        accepted,
        messages: () => accepted.map(({ text }): unknown => JSON.parse(text)),
        /** The browser ends its subscription without telling anybody but the service. */
        end(status: number) {
          browser.gone = status;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What is wrong with the sender's signature; `undefined` if nothing is. */
async function vapidProblem(
  authorization: string,
  { publicKey, origin }: { publicKey: string; origin: string },
): Promise<string | undefined> {
  const [, token = "", key] = /^vapid t=([^,]+), k=([\w-]+)$/.exec(authorization) ?? [];
  // The browser has subscribed with this key, and the service takes messages from no other sender.
  if (key !== publicKey) return "another key than the subscription's";
  const point = Buffer.from(key, "base64url");
  const jwk = { kty: "EC", crv: "P-256", x: part(point, 1), y: part(point, 33) };
  try {
    const { payload } = await jwtVerify(token, await importJWK(jwk, "ES256"), {
      ...{ algorithms: ["ES256"], audience: origin, requiredClaims: ["exp", "sub"] },
    });
    if (Number(payload.exp) > Date.now() / 1_000 + dayInSeconds) return "exp is more than a day away";
    if (!/^(mailto:|https:)/.test(String(payload.sub))) return "no contact in sub";
    return undefined;
  } catch (error) {
    return String(error);
  }
}

function part(point: Buffer, at: number): string {
  return point.subarray(at, at + 32).toString("base64url");
}

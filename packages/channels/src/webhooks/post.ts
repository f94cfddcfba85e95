import { lookup } from "node:dns";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isPrivateLiteral } from "@countersign/policy/internal/shared/public-address";
import { checkedLookup, PrivateAddress, type Resolve } from "./checked-lookup.js";

/** How connections are made, for tests. */
export interface Network {
  resolve: Resolve;
  /** Certificate authorities other than the system's. */
  ca?: string;
}

export const systemNetwork: Network = { resolve: lookup };

export interface Post {
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
  allowPrivate: boolean;
  signal: AbortSignal;
}

/** The parts of a response that are kept: its status and one header. */
export interface Answer {
  status: number;
  retryAfter: string | undefined;
}

/**
 * Maximum bytes read of a response. Shorter ones are read completely, because some servers stop working when a client
 * disconnects.
 */
const maxDrainedBytes = 65_536;

/** Sends one POST on a new connection, so that the addresses are checked for every request. Follows no redirects. */
export function post({ url, headers, body, allowPrivate, signal }: Post, network: Network): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (!allowPrivate && isPrivateLiteral(url)) {
      reject(new PrivateAddress());
      return;
    }
    let answer: Answer | undefined;
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const request = send(url, {
      method: "POST",
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
      agent: false,
      signal,
      ...(network.ca !== undefined && { ca: network.ca }),
      ...(!allowPrivate && { lookup: checkedLookup(network.resolve) }),
    });
    request.on("response", (response) => {
      answer = { status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] };
      let drained = 0;
      response.on("data", (chunk: Buffer) => {
        drained += chunk.length;
        if (drained > maxDrainedBytes) request.destroy();
      });
      // Errors in the rest of a response do not matter.
      response.on("error", () => {});
    });
    let failure: Error | undefined;
    request.on("error", (error) => {
      failure = error;
    });
    request.on("close", () => {
      if (answer) resolve(answer);
      else reject(failure ?? new Error("The connection closed without an answer"));
    });
    request.end(body);
  });
}

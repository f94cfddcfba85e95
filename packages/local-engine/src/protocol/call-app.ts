import * as z from "zod";
import type { AppHandler } from "./app-handler.js";
import type { RawResponse } from "./app-response.js";
import { isSignatureValid, signBody } from "./signature.js";

/** A call to an app, over HTTP or to a handler of this process. */
export interface AppCall {
  method: "POST" | "PUT";
  url: string;
  headers: Record<string, string>;
  body: string;
  handler: AppHandler | undefined;
  signingKey: string | undefined;
}

/**
 * A streaming app responds with 201 immediately, keeps the connection alive with spaces, and sends its actual
 * response at the end.
 */
const streamedSchema = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string(),
});

/** Calls an app and reads its full response. Throws if there is none or its signature is invalid. */
export async function callApp(call: AppCall): Promise<RawResponse> {
  const { method, url, body, handler, signingKey } = call;
  const headers = {
    ...call.headers,
    // Signatures use the machine's time, because the receiver checks them by its own clock and not by the engine's.
    "x-inngest-signature": signingKey ? signBody({ json: JSON.parse(body) }, signingKey, Date.now()) : "",
    "x-inngest-server-kind": signingKey ? "cloud" : "dev",
  };
  const response = await (handler
    ? // A server would have given the handler this header; the SDK's adapters make URLs from it.
      handler(new Request(url, { method, body, headers: { ...headers, host: new URL(url).host } }))
    : fetch(url, { method, headers, body }));
  const answer = unwrapStreamed({
    status: response.status,
    headers: response.headers,
    text: await response.text(),
  });
  if (signingKey && answer.status < 300) {
    const signature = answer.headers.get("x-inngest-signature");
    if (!isSignatureValid(signature, answer.text, signingKey, Date.now())) {
      throw new Error(
        "The app's response has no valid signature; check that both sides use the same signing key",
      );
    }
  }
  return answer;
}

function unwrapStreamed(response: RawResponse): RawResponse {
  if (response.status !== 201) return response;
  const { status, headers, body } = streamedSchema.parse(JSON.parse(response.text.trim()));
  return { status, headers: new Headers(headers), text: body };
}

import { createHmac } from "node:crypto";

/** A request of Slack that can be sent several times. */
export interface SignedRequest {
  body: string;
  headers: Record<string, string>;
  toRequest(url?: string): Request;
}

/** Signs a form as Slack does. */
export function signedRequest(body: string, secret: string, at: Date): SignedRequest {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signature = createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex");
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    "x-slack-request-timestamp": timestamp,
    "x-slack-signature": `v0=${signature}`,
  };
  const toRequest = (url = "https://desk.example.com/channels/slack") =>
    new Request(url, { method: "POST", headers, body });
  return { body, headers, toRequest };
}

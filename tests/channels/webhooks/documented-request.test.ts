import { readFileSync } from "node:fs";
import { webhooks } from "@countersign/channels/webhooks";
import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { exampleCard, exampleDelivery } from "../../support/example-delivery.js";
import { openReceiver } from "./receiver.js";

/** The request in the documentation, and the secret that signs it there. */
function documented() {
  const page = readFileSync(new URL("../../../docs/channels/webhooks.md", import.meta.url), "utf8");
  const [, request = ""] = /```http\n([\s\S]*?)\n```/.exec(page) ?? [];
  const [secret = ""] = /whsec_[A-Za-z0-9+/=]{44}/.exec(page) ?? [];
  const [head = "", body = ""] = request.split("\n\n");
  const [line = "", ...lines] = head.split("\n");
  return { line, headers: Object.fromEntries(lines.map((text) => text.split(": "))), body, secret };
}

it("the documented request is what the channel sends, and its signature is valid", async () => {
  const { line, headers, body, secret } = documented();
  expect(line).toBe("POST /approvals HTTP/1.1");
  await using receiver = await openReceiver();
  const channel = webhooks({
    endpoints: [{ id: "tickets", url: `${receiver.url}/approvals`, secret, allowPrivate: true }],
  });
  const card = exampleCard({ approvalId: "apr_k2", label: "Refund", digest: "9f2c41d07be5a3f8".repeat(4) });
  await channel.send(
    exampleDelivery({ recipient: { id: "tickets", label: "tickets" }, messageId: "dlv_3kQ9", card }),
    new AbortController().signal,
  );
  const [sent] = receiver.received;
  expect(body).toBe(sent?.body);
  expect(Object.keys(headers).map((name) => name.toLowerCase())).toEqual(
    Object.keys(sent?.headers ?? {}).filter((name) => name in headers),
  );
  const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
  expect(headers["webhook-id"]).toBe("dlv_3kQ9");
  expect(headers["webhook-signature"]).toBe(new Webhook(secret).sign("dlv_3kQ9", at, body));
});

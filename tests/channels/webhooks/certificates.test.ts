import { randomBytes } from "node:crypto";
import { lookup } from "node:dns";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { webhooksChannel } from "@countersign/channels/internal";
import { expect, it } from "vitest";
import { exampleDelivery } from "../../support/example-delivery.js";
import { certificate, certificateKey } from "./test-certificate.js";

const secret = `whsec_${randomBytes(32).toString("base64")}`;

it("an https endpoint receives webhooks only if its certificate verifies", async () => {
  let received = 0;
  const server = createServer({ cert: certificate, key: certificateKey }, (_request, response) => {
    received += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const send = (ca?: string) => {
    const endpoint = { id: "crm", url: `https://localhost:${port}`, secret, allowPrivate: true };
    const channel = webhooksChannel({ endpoints: [endpoint] }, { resolve: lookup, ...(ca && { ca }) });
    const delivery = exampleDelivery({ recipient: { id: "crm", label: "crm" } });
    return channel.send(delivery, new AbortController().signal);
  };
  expect(await send()).toEqual({
    ok: false,
    error: "The endpoint could not be reached (DEPTH_ZERO_SELF_SIGNED_CERT)",
  });
  expect(received).toBe(0);
  expect(await send(certificate)).toEqual({ ok: true, reference: null });
  expect(received).toBe(1);
  await new Promise((resolve) => server.close(resolve));
});

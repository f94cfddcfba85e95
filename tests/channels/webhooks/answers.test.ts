import { randomBytes } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { webhooks } from "@countersign/channels/webhooks";
import { describe, expect, it } from "vitest";
import { exampleDelivery } from "../../support/example-delivery.js";
import { openReceiver, status } from "./receiver.js";

const secret = `whsec_${randomBytes(32).toString("base64")}`;
const channelTo = (url: string) => webhooks({ endpoints: [{ id: "crm", url, secret, allowPrivate: true }] });
const delivery = () => exampleDelivery({ recipient: { id: "crm", label: "crm" } });
const send = (url: string, signal = new AbortController().signal) => channelTo(url).send(delivery(), signal);

async function resultOf(code: number, headers: Record<string, string> = {}) {
  await using receiver = await openReceiver(status(code, headers));
  const result = await send(receiver.url);
  expect(JSON.stringify(result)).not.toContain("secret words");
  return result;
}

describe("an answer", () => {
  it.each([200, 201, 202, 204, 299])("of %i is success", async (code) => {
    expect(await resultOf(code)).toEqual({ ok: true, reference: null });
  });

  it.each([400, 401, 404, 422, 500, 502])("of %i is a failure that is retried", async (code) => {
    expect(await resultOf(code, { "retry-after": "7" })).toEqual({ ok: false, error: `HTTP ${code}` });
  });

  it("of 410 is a permanent failure and marks the endpoint as gone", async () => {
    expect(await resultOf(410)).toMatchObject({ ok: false, permanent: true, gone: true });
  });

  it.each([429, 503])("of %i is retried after its Retry-After", async (code) => {
    expect(await resultOf(code)).toEqual({ ok: false, error: `HTTP ${code}` });
    expect(await resultOf(code, { "retry-after": "7" })).toMatchObject({ retryAfterMs: 7_000 });
    expect(await resultOf(code, { "retry-after": "99999999" })).toMatchObject({ retryAfterMs: 86_400_000 });
    expect(await resultOf(code, { "retry-after": "soon" })).not.toHaveProperty("retryAfterMs");
    const inAMinute = new Date(Date.now() + 60_000).toUTCString();
    const { retryAfterMs } = (await resultOf(code, { "retry-after": inAMinute })) as { retryAfterMs: number };
    expect(retryAfterMs).toBeGreaterThan(30_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
    expect(await resultOf(code, { "retry-after": new Date(0).toUTCString() })).toMatchObject({
      retryAfterMs: 0,
    });
  });

  it.each([301, 302, 303, 307, 308])("of %i is a failure, and the redirect is not followed", async (code) => {
    await using target = await openReceiver();
    expect(await resultOf(code, { location: target.url })).toMatchObject({
      ok: false,
      error: expect.stringContaining("redirects are not followed"),
    });
    expect(target.connections()).toBe(0);
  });

  it("with an endless body is cut off, and its status counts", async () => {
    let written = 0;
    const chunk = "x".repeat(16_384);
    await using receiver = await openReceiver((response) => {
      response.writeHead(200);
      const write = () => {
        do written += chunk.length;
        while (response.write(chunk));
        response.once("drain", write);
      };
      write();
    });
    expect(await send(receiver.url)).toEqual({ ok: true, reference: null });
    // The server could write only what both ends of a connection buffer.
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });

  it("whose body does not end in time counts by its status", async () => {
    const abort = new AbortController();
    const abortLater = () => setImmediate(() => abort.abort());
    subscribe("http.client.response.finish", abortLater);
    await using receiver = await openReceiver((response) => void response.writeHead(200).write("begun"));
    expect(await send(receiver.url, abort.signal)).toEqual({ ok: true, reference: null });
    expect(abort.signal.aborted).toBe(true);
    unsubscribe("http.client.response.finish", abortLater);
  });

  it("that switches protocols is a failure", async () => {
    await using receiver = await openReceiver((response) => {
      response.socket?.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n");
    });
    expect(await send(receiver.url)).toMatchObject({ ok: false });
  });
});

describe("a request without an answer", () => {
  it("fails when its time is up", async () => {
    const abort = new AbortController();
    await using receiver = await openReceiver(() => abort.abort());
    expect(await send(receiver.url, abort.signal)).toEqual({
      ok: false,
      error: "The endpoint did not answer in time",
    });
  });

  it("fails without naming the address if nothing listens there", async () => {
    const free = createTcpServer();
    await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    expect(await send(`http://127.0.0.1:${port}`)).toEqual({
      ok: false,
      error: "The endpoint could not be reached (ECONNREFUSED)",
    });
  });

  it("fails if the connection breaks", async () => {
    await using receiver = await openReceiver((response) => void response.destroy());
    expect(await send(receiver.url)).toEqual({
      ok: false,
      error: "The endpoint could not be reached (ECONNRESET)",
    });
  });
});

describe("the retry schedule", () => {
  it("is that of Standard Webhooks, with jitter", () => {
    const { retryDelayMs } = webhooks({ endpoints: [] });
    const seconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (const [index, pause] of seconds.entries()) {
      const delay = retryDelayMs?.(index + 1) ?? 0;
      expect(delay).toBeGreaterThanOrEqual(pause * 1000);
      expect(delay).toBeLessThanOrEqual(pause * 1100);
    }
    expect(retryDelayMs?.(10)).toBeNull();
    expect(new Set(Array.from({ length: 20 }, () => retryDelayMs?.(9))).size).toBeGreaterThan(1);
  });
});

import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { httpDryRun, type PreviewContext } from "countersign/previews";
import { expect, it } from "vitest";

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const context = (signal = new AbortController().signal): PreviewContext => ({
  ...{ moment: "start", toolName: "refund", tenantId: "t", threadId: null },
  ...{ requester: null, approvalId: null, signal },
});

const refund = (url: string) =>
  httpDryRun({
    request: ({ orderId }: { orderId: string }) =>
      new Request(`${url}/refunds?dry_run=true`, { method: "POST", body: JSON.stringify({ orderId }) }),
    effects: (body, { orderId }) => ({ effects: [{ target: `order ${orderId}`, after: body }] }),
  });

it("httpDryRun sends the request and reads the effects from the response", async () => {
  const seen: unknown[] = [];
  await using server = await serve((request, response) => {
    request.setEncoding("utf8").on("data", (body) => seen.push(request.method, request.url, body));
    request.on("end", () => response.end('{"refunded":80}'));
  });
  expect(await refund(server.url)({ orderId: "A-1" }, context())).toEqual({
    effects: [{ target: "order A-1", after: { refunded: 80 } }],
  });
  expect(seen).toEqual(["POST", "/refunds?dry_run=true", '{"orderId":"A-1"}']);
});

it.each([301, 302, 303, 307, 308])("httpDryRun does not follow a redirect with status %i", async (status) => {
  const seen: (string | undefined)[] = [];
  await using other = await serve((request, response) => {
    seen.push(request.url);
    response.end("{}");
  });
  await using server = await serve((request, response) => {
    seen.push(request.url);
    response.writeHead(status, { location: `${other.url}/refunds` }).end("{}");
  });
  await expect(refund(server.url)({ orderId: "A-1" }, context())).rejects.toThrow(`status ${status}`);
  expect(seen).toEqual(["/refunds?dry_run=true"]);
});

it.each([400, 404, 500])("httpDryRun gives no preview for status %i", async (status) => {
  await using server = await serve((_request, response) => response.writeHead(status).end('{"refunded":80}'));
  await expect(refund(server.url)({ orderId: "A-1" }, context())).rejects.toThrow(`status ${status}`);
});

it.each(["", "<html>", '{"refunded":'])("httpDryRun gives no preview for a body of %j", async (body) => {
  await using server = await serve((_request, response) => response.end(body));
  await expect(refund(server.url)({ orderId: "A-1" }, context())).rejects.toThrow(SyntaxError);
});

it("httpDryRun stops reading after 1 MiB, whatever the response announces", async () => {
  let closed = () => {};
  const isClosed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  await using server = await serve((_request, response) => {
    const send = () => {
      while (response.write(" ".repeat(100_000))) {}
    };
    response.on("drain", send).on("close", closed);
    send();
  });
  await expect(refund(server.url)({ orderId: "A-1" }, context())).rejects.toThrow("larger than 1 MiB");
  await isClosed;
});

it("httpDryRun reads a response of exactly 1 MiB", async () => {
  const text = "ä".repeat(1024 * 512 - 1);
  await using server = await serve((_request, response) => response.end(`"${text}"`));
  const { effects } = await refund(server.url)({ orderId: "A-1" }, context());
  expect(effects[0]?.after).toBe(text);
});

it("httpDryRun gives up the request when the preview's time is over", async () => {
  const given = new AbortController();
  let closed = () => {};
  const isClosed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  await using server = await serve((_request, response) => {
    response.on("close", closed).write('{"refunded"');
    given.abort(new Error("late"));
  });
  await expect(refund(server.url)({ orderId: "A-1" }, context(given.signal))).rejects.toThrow();
  await isClosed;
});

it("httpDryRun refuses options that are no functions", () => {
  expect(() => httpDryRun({ request: "x" as never, effects: () => ({ effects: [] }) })).toThrow(/^request: /);
  expect(() => httpDryRun({ request: () => new Request("x:y"), effects: 1 as never })).toThrow(/^effects: /);
});

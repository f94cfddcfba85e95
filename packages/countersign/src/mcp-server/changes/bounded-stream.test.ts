import { expect, it } from "vitest";
import { endUnread, maxUnread } from "./bounded-stream.js";

/** A stream that writes whenever its reader takes something. */
function endless() {
  const seen = { written: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      seen.written++;
      controller.enqueue(new Uint8Array([1]));
    },
    cancel() {
      seen.cancelled = true;
    },
  });
  return {
    seen,
    response: new Response(body, { status: 200, headers: { "content-type": "text/event-stream" } }),
  };
}

it("a stream that nobody reads ends, and its source is cancelled", async () => {
  const { seen, response } = endless();
  const ended = endUnread(response);
  expect(ended.headers.get("content-type")).toBe("text/event-stream");
  await expect.poll(() => seen.cancelled).toBe(true);
  expect(seen.written).toBeLessThan(maxUnread + 10);
  expect((await ended.arrayBuffer()).byteLength).toBeLessThan(maxUnread + 10);
});

it("a stream whose client leaves cancels its source", async () => {
  const body = new ReadableStream<Uint8Array>({ cancel: () => void left.push("left") });
  const left: string[] = [];
  await endUnread(new Response(body)).body?.cancel();
  expect(left).toEqual(["left"]);
});

it("a short answer stays as it is", async () => {
  expect(await endUnread(Response.json({ a: 1 }, { status: 201 })).json()).toEqual({ a: 1 });
  expect(endUnread(new Response(null, { status: 202 })).status).toBe(202);
});

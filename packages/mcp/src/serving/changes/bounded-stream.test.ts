import { expect, it } from "vitest";
import { endUnread, maxUnread } from "./bounded-stream.js";

/** A stream that writes whenever its reader takes something. */
function endless() {
  const source = { written: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      source.written++;
      controller.enqueue(new Uint8Array([1]));
    },
    cancel() {
      source.cancelled = true;
    },
  });
  return {
    source,
    response: new Response(body, { status: 200, headers: { "content-type": "text/event-stream" } }),
  };
}

it("a stream that nobody reads ends and cancels its source", async () => {
  const { source, response } = endless();
  const ended = endUnread(response);
  expect(ended.headers.get("content-type")).toBe("text/event-stream");
  await expect.poll(() => source.cancelled).toBe(true);
  expect(source.written).toBeLessThan(maxUnread + 10);
  expect((await ended.arrayBuffer()).byteLength).toBeLessThan(maxUnread + 10);
});

it("a stream cancels its source when the client leaves", async () => {
  const body = new ReadableStream<Uint8Array>({ cancel: () => void left.push("left") });
  const left: string[] = [];
  await endUnread(new Response(body)).body?.cancel();
  expect(left).toEqual(["left"]);
});

it("a short response is unchanged", async () => {
  expect(await endUnread(Response.json({ a: 1 }, { status: 201 })).json()).toEqual({ a: 1 });
  expect(endUnread(new Response(null, { status: 202 })).status).toBe(202);
});

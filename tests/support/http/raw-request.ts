import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";

export interface RawRequest {
  method?: string;
  headers?: Record<string, string>;
  /** A list is sent in chunks, without a length. */
  body?: string | Buffer | Iterable<Buffer>;
}

/** Sends what `fetch` refuses to: other methods and Host headers, bodies without a length. */
export function sendRaw(url: string, { method = "POST", headers = {}, body }: RawRequest) {
  return new Promise<{ status: number; type: string | undefined; body: string }>((resolve, reject) => {
    // Without keepAlive, a server that has not read all of a body resets the connection, and its answer may be lost.
    const agent = new Agent({ keepAlive: true });
    const outgoing = request(url, { method, headers, agent }, async (incoming) => {
      const { statusCode = 0 } = incoming;
      const type = incoming.headers["content-type"];
      await text(incoming).then((answer) => resolve({ status: statusCode, type, body: answer }), reject);
      // The server has answered, so the rest need not be sent.
      outgoing.destroy();
    });
    outgoing.on("error", reject);
    outgoing.on("socket", (socket) => socket.on("error", reject));
    if (body === undefined || typeof body === "string" || Buffer.isBuffer(body)) return outgoing.end(body);
    const chunks = body[Symbol.iterator]();
    const write = (): void => {
      for (;;) {
        const next = chunks.next();
        if (next.done) return void outgoing.end();
        if (!outgoing.write(next.value)) return void outgoing.once("drain", write);
      }
    };
    write();
  });
}

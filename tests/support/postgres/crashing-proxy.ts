import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * A TCP proxy of Postgres that crashes between two statements: what follows a number of statements never reaches the
 * database, and no answer reaches the client.
 */
export async function crashingProxy(target: { host: string; port: number }) {
  let left = Number.POSITIVE_INFINITY;
  let passed = 0;
  let ended = Promise.resolve();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
    }
    const gone = new Promise<void>((resolve) => upstream.on("close", () => resolve()));
    const crash = () => {
      ended = gone;
      client.destroy();
      // The database carries out what has reached it, and then finds the connection closed.
      upstream.end();
    };
    const split = messages();
    let last = false;
    client.on("data", (data) => {
      for (const { type, bytes } of split(data)) {
        if (left === 0 && !last) return crash();
        upstream.write(bytes);
        if (type === "Q" || type === "E") {
          passed += 1;
          left -= 1;
          last = left === 0;
        }
        // A statement of the extended protocol ends with a Sync.
        if (last && (type === "Q" || type === "S")) return crash();
      }
    });
    client.on("close", () => upstream.end());
    upstream.on("data", (data) => left > 0 && client.write(data));
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    /** Lets this number of statements through, and then crashes. */
    crashAfter(statements: number) {
      left = statements;
      passed = 0;
    },
    /** Crashes no more; resolves once the database has noticed the crash. Returns the statements since `crashAfter`. */
    async recover(): Promise<number> {
      left = Number.POSITIVE_INFINITY;
      await ended;
      return passed;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Splits what a client sends into messages. The first one has no type. */
function messages() {
  let rest = Buffer.alloc(0);
  let started = false;
  return (data: Buffer): { type: string | undefined; bytes: Buffer }[] => {
    rest = Buffer.concat([rest, data]);
    const found = [];
    for (;;) {
      const header = started ? 1 : 0;
      if (rest.length < header + 4) return found;
      const length = header + rest.readInt32BE(header);
      if (rest.length < length) return found;
      found.push({
        type: started ? String.fromCharCode(rest[0] ?? 0) : undefined,
        bytes: rest.subarray(0, length),
      });
      rest = rest.subarray(length);
      started = true;
    }
  };
}

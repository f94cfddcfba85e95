import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy that a test can stall. */
export async function tcpProxy(target: { host: string; port: number }) {
  const sockets = new Set<Socket>();
  const silent = new Set<Socket>();
  let stalled = false;
  const server = createServer((client) => {
    const upstream = connect(target);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      if (stalled) from.pause();
      from.on("error", () => to.destroy());
      from.on("close", () => sockets.delete(from));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    /** Holds up all data in both directions. Connections stay open. */
    stall() {
      stalled = true;
      for (const socket of sockets) socket.pause();
    },
    /** Delivers the data that was held up, and all that follows. */
    flow() {
      stalled = false;
      for (const socket of sockets) socket.resume();
    },
    /** Forwards nothing more on the connections that are open now, and keeps them open. New ones work. */
    silence() {
      for (const socket of sockets) {
        socket.unpipe();
        silent.add(socket);
      }
      sockets.clear();
    },
    close() {
      for (const socket of silent) socket.destroy();
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

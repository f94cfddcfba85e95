import { connect, createServer } from "node:net";

/**
 * The database of an address, as seen from another machine: `moveTo` says how long a round trip takes. Counts the round
 * trips, which is how often a connection runs something after it has received something. Statements that are sent together
 * are one of them, and to prepare a statement, which each connection does once, is none.
 *
 * @param {string} url
 */
export async function distantPostgres(url) {
  let oneWayMs = 0;
  const { hostname: host, port } = new URL(url);
  const counted = { roundTrips: 0 };
  /** @type {Set<import("node:net").Socket>} */
  const sockets = new Set();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host, port: Number(port), noDelay: true });
    let answered = true;
    client.on("data", (chunk) => {
      if (runsSomething(chunk)) {
        if (answered) counted.roundTrips++;
        answered = false;
      }
      setTimeout(() => upstream.write(chunk), oneWayMs);
    });
    upstream.on("data", (chunk) => {
      setTimeout(() => {
        answered = true;
        client.write(chunk);
      }, oneWayMs);
    });
    for (const [socket, other] of /** @type {const} */ ([
      [client, upstream],
      [upstream, client],
    ])) {
      sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        other.destroy();
        sockets.delete(socket);
      });
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  const distant = new URL(url);
  distant.host = `127.0.0.1:${typeof address === "object" ? address?.port : undefined}`;
  return {
    url: distant.href,
    counted,
    /** @param {number} roundTripMs */
    moveTo(roundTripMs) {
      oneWayMs = roundTripMs / 2;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Whether the client's messages have a statement run (`Q`uery, `E`xecute). @param {Buffer} chunk */
function runsSomething(chunk) {
  // Each message is a letter, its length without the letter, and its content.
  for (let at = 0; at + 5 <= chunk.length; at += 1 + chunk.readUInt32BE(at + 1)) {
    if (chunk[at] === 0x51 || chunk[at] === 0x45) return true;
  }
  return false;
}

import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What a client still has to be answered, and its connection to the server while it has one. */
interface Client {
  socket: Socket;
  server: Socket | undefined;
  unanswered: number;
}

const queryOrSync = new Set(["Q", "S"]);
const startupHeader = 4;
const messageHeader = 5;

/**
 * A pooler that gives each transaction the connection to the server that was given back last, and knows nothing of
 * prepared statements, like PgBouncer before 1.21. Each client logs in to the server by itself, and its connection then
 * joins the pool.
 */
export async function transactionPooler(target: { host: string; port: number }) {
  const sockets = new Set<Socket>();
  const idle: Socket[] = [];
  const using = new Map<Socket, Client>();

  const release = (server: Socket, client: Client) => {
    using.delete(server);
    client.server = undefined;
    idle.push(server);
  };
  const onServerMessage = (server: Socket) => (type: string, message: Buffer) => {
    const client = using.get(server);
    if (!client) return;
    client.socket.write(message);
    if (type !== "Z") return;
    client.unanswered -= 1;
    // "I": the transaction is over.
    if (client.unanswered === 0 && message.toString("latin1", messageHeader) === "I") release(server, client);
  };
  const onClientMessage = (client: Client) => (type: string, message: Buffer) => {
    if (type === "X") return client.socket.destroy();
    if (!client.server) {
      client.server = idle.pop();
      if (!client.server) throw new Error("The pool is empty");
      using.set(client.server, client);
    }
    if (queryOrSync.has(type)) client.unanswered += 1;
    client.server.write(message);
  };

  const listener = createServer({ noDelay: true }, (socket) => {
    const server = connect({ ...target, noDelay: true });
    const client: Client = { socket, server, unanswered: 1 };
    for (const one of [socket, server]) {
      sockets.add(one);
      one.on("error", () => one.destroy());
    }
    using.set(server, client);
    let loggedIn = false;
    server.on(
      "data",
      eachMessage(messageHeader, (type, message) => {
        // The id of the server's process, which poolers do not pass on.
        if (type === "K" && !loggedIn) message.writeInt32BE(1, messageHeader);
        onServerMessage(server)(type, message);
        if (type === "Z" && !loggedIn) {
          loggedIn = true;
          // Connections that have served a transaction come first.
          idle.unshift(...idle.splice(idle.indexOf(server), 1));
        }
      }),
    );
    socket.on("data", eachMessage(startupHeader, onClientMessage(client)));
    socket.on("close", () => {
      if (client.server && loggedIn) client.server.destroy();
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
    },
  };
}

/** Splits a stream into messages of Postgres' protocol. The first message of a client has no type. */
function eachMessage(firstHeader: number, onMessage: (type: string, message: Buffer) => void) {
  let rest = Buffer.alloc(0);
  let header = firstHeader;
  return (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= header) {
      const typed = header === messageHeader;
      const length = rest.readUInt32BE(typed ? 1 : 0) + (typed ? 1 : 0);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      onMessage(typed ? message.toString("latin1", 0, 1) : "startup", message);
      header = messageHeader;
    }
  };
}

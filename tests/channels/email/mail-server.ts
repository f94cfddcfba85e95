import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

export interface Arrived {
  mail: ParsedMail;
  /** The mail as it was sent. */
  raw: string;
  to: string[];
}

/** An SMTP server on this machine that keeps the mails it receives. `options` override its behaviour. */
export async function openMailServer(options: SMTPServerOptions = {}) {
  const arrived: Arrived[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    logger: false,
    async onData(stream, session, callback) {
      const raw = await buffer(stream);
      const to = session.envelope.rcptTo.map(({ address }) => address);
      arrived.push({ mail: await simpleParser(raw), raw: raw.toString(), to });
      callback();
    },
    ...options,
  });
  // Some tests disconnect in the middle of a mail.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    arrived,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
}

/** An SMTP reply. */
export function reply(responseCode: number, words: string): Error {
  return Object.assign(new Error(words), { responseCode });
}

export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** A proxy for a mail server. If `drops` returns true, it breaks the connection in place of the answer to a mail. */
export async function openDroppingProxy(port: number, drops: () => boolean) {
  const server = createServer((client: Socket) => {
    const behind = connect(port, "127.0.0.1");
    let hasMail = false;
    client.on("data", (chunk) => {
      hasMail ||= chunk.toString().endsWith("\r\n.\r\n");
      behind.write(chunk);
    });
    behind.on("data", (chunk) => {
      if (hasMail && drops()) client.destroy();
      else client.write(chunk);
    });
    for (const socket of [client, behind]) socket.on("error", () => {});
    client.on("close", () => behind.end());
    behind.on("close", () => client.end());
  });
  return { server, port: await listening(server) };
}

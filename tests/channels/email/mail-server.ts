import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

export interface Arrived {
  mail: ParsedMail;
  /** As it was sent. */
  raw: string;
  to: string[];
}

/** An SMTP server on this machine that keeps its mails. `options` change what it does. */
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
  // A client that leaves in the middle is part of some tests.
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

import { createServer } from "node:net";
import { email } from "@countersign/channels/email";
import type { SMTPServerOptions } from "smtp-server";
import { describe, expect, it, vi } from "vitest";
import { exampleDelivery } from "../../support/example-delivery.js";
import { listening, openDroppingProxy, openMailServer, reply } from "./mail-server.js";

const finance = "finance@example.com";
const delivery = () => exampleDelivery({ recipient: { id: finance, label: finance } });
const channelTo = (transport: Parameters<typeof email>[0]["transport"]) =>
  email({ transport, from: "approvals@example.com", recipients: { default: finance } });
const send = (url: string, signal = new AbortController().signal) => channelTo(url).send(delivery(), signal);

async function refusedBy(options: SMTPServerOptions) {
  await using server = await openMailServer(options);
  return await send(server.url);
}

describe("a mail server's refusal", () => {
  const atRecipient = (code: number, words: string): SMTPServerOptions => ({
    onRcptTo: (_address, _session, callback) => callback(reply(code, words)),
  });

  it("of the recipient with 4xx is temporary", async () => {
    expect(await refusedBy(atRecipient(450, "4.2.0 Greylisted, try later"))).toEqual({
      ok: false,
      error: "The mail server refused the mail (450 4.2.0)",
    });
  });

  it("of the recipient with 5xx is permanent, and its text is not kept", async () => {
    expect(await refusedBy(atRecipient(550, "5.1.1 No such user, token=s3cret"))).toEqual({
      ok: false,
      error: "The mail server refused the mail (550 5.1.1)",
      permanent: true,
    });
  });

  it("after the data is temporary or permanent, by its code", async () => {
    const atData = (code: number): SMTPServerOptions => ({
      onData: (stream, _session, callback) => {
        stream.resume().on("end", () => callback(reply(code, "words")));
      },
    });
    expect(await refusedBy(atData(451))).not.toHaveProperty("permanent");
    expect(await refusedBy(atData(554))).toMatchObject({ permanent: true });
  });

  it("of the sender is permanent", async () => {
    expect(
      await refusedBy({
        onMailFrom: (_address, _session, callback) => callback(reply(553, "5.7.1 Not you")),
      }),
    ).toEqual({ ok: false, error: "The mail server refused the mail (553 5.7.1)", permanent: true });
  });

  it("of the sign-in is temporary and names no credentials", async () => {
    await using server = await openMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, callback) =>
        callback(reply(535, `5.7.8 Bad ${username} ${password}`)),
    });
    expect(await send(`smtp://ada:s3cret@127.0.0.1:${server.port}`)).toEqual({
      ok: false,
      error: "The mail server refused the sign-in (535 5.7.8)",
    });
    expect(await send(server.url)).toEqual({
      ok: false,
      error: expect.stringMatching(/^The mail server refused the mail \(530/),
    });
  });
});

describe("an unknown outcome", () => {
  it("is reported as uncertain, and the retry has the same Message-ID", async () => {
    const ids: (string | undefined)[] = [];
    let answers = 0;
    await using server = await openMailServer();
    const dropping = await openDroppingProxy(server.port, () => answers++ === 0);
    const channel = channelTo(`smtp://127.0.0.1:${dropping.port}`);
    expect(await channel.send(delivery(), new AbortController().signal)).toEqual({
      ok: false,
      error: expect.stringMatching(/^The mail server did not answer \(E[A-Z]+\)$/),
      uncertain: true,
    });
    // The server has received the mail nevertheless.
    await vi.waitUntil(() => server.arrived.length === 1);
    const again = await channel.send({ ...delivery(), attempts: 1 }, new AbortController().signal);
    expect(again).toMatchObject({ ok: true });
    for (const { mail } of server.arrived) ids.push(mail.messageId);
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]);
    dropping.server.close();
  });
});

describe("a slow mail server", () => {
  it.each([
    ["before its greeting", { onConnect: () => {} }],
    ["at the recipient", { onRcptTo: () => {} }],
    ["after the data", { onData: (stream) => void stream.resume() }],
  ] as [string, SMTPServerOptions][])(
    "that hangs %s is abandoned when the signal aborts",
    async (_where, options) => {
      const abort = new AbortController();
      const [[name, hang] = ["", () => {}]] = Object.entries(options);
      await using server = await openMailServer({
        [name]: (...given: unknown[]) => {
          (hang as (...given: unknown[]) => void)(...given);
          setImmediate(() => abort.abort());
        },
      });
      expect(await send(server.url, abort.signal)).toEqual({
        ok: false,
        error: "The mail server did not answer in time",
      });
    },
  );

  it("is not contacted after the signal has aborted", async () => {
    await using server = await openMailServer();
    expect(await send(server.url, AbortSignal.abort())).toMatchObject({ ok: false });
    expect(server.arrived).toEqual([]);
  });

  it("is abandoned even if the transport ignores the signal", async () => {
    const abort = new AbortController();
    const sendMail = () => {
      abort.abort();
      return new Promise<never>(() => {});
    };
    const transport = { sendMail };
    expect(await channelTo(transport).send(delivery(), abort.signal)).toEqual({
      ok: false,
      error: "The mail server did not answer in time",
    });
  });
});

describe("a mail that cannot be sent", () => {
  it("is a failure that names no address if there is no mail server", async () => {
    const free = createServer();
    const port = await listening(free);
    await new Promise((resolve) => free.close(resolve));
    expect(await send(`smtp://ada:s3cret@127.0.0.1:${port}`)).toEqual({
      ok: false,
      error: "The mail could not be sent (ESOCKET)",
    });
  });

  it("is a failure without the error message of a custom transport", async () => {
    const transport = { sendMail: () => Promise.reject(new Error("key=s3cret")) };
    expect(await channelTo(transport).send(delivery(), new AbortController().signal)).toEqual({
      ok: false,
      error: "The mail could not be sent",
    });
  });
});

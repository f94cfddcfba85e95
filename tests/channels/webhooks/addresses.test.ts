import { randomBytes } from "node:crypto";
import type { LookupAddress } from "node:dns";
import { webhooksChannel } from "@countersign/channels/internal";
import { describe, expect, it } from "vitest";
import { exampleDelivery } from "../../support/example-delivery.js";
import { openReceiver } from "./receiver.js";

const secret = `whsec_${randomBytes(32).toString("base64")}`;
const delivery = () => exampleDelivery({ recipient: { id: "crm", label: "crm" } });
const refused = { ok: false, error: expect.stringContaining("private or reserved address") };

/** A name server that gives these answers, one after the other, and records the hosts it was asked for. */
function nameServer(...answers: string[][]) {
  const asked: string[] = [];
  let then = () => {};
  const resolve = (
    host: string,
    options: { all: boolean },
    callback: (error: null, addresses: LookupAddress[]) => void,
  ) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(host);
    then();
    callback(
      null,
      (options.all ? addresses : addresses.slice(0, 1)).map((address) => ({
        address,
        family: address.includes(":") ? 6 : 4,
      })),
    );
  };
  const network = {
    resolve,
    asked,
    afterEach(listener: () => void) {
      then = listener;
      return network;
    },
  };
  return network;
}

const channelTo = (url: string, network: ReturnType<typeof nameServer>) =>
  webhooksChannel({ endpoints: [{ id: "crm", url, secret }] }, network);

describe("an endpoint whose host resolves", () => {
  it.each([
    ["to a private address", ["127.0.0.1"]],
    ["to a public and a private address", ["8.8.8.8", "127.0.0.1"]],
    ["to a public IPv4 and a private IPv6 address", ["8.8.8.8", "::1"]],
    ["to a mapped address", ["::ffff:127.0.0.1"]],
    ["to nothing", []],
  ])("%s gets no connection", async (_what, addresses) => {
    await using receiver = await openReceiver();
    const network = nameServer(addresses);
    const url = `https://hooks.example.com:${receiver.port}`;
    expect(await channelTo(url, network).send(delivery(), new AbortController().signal)).toEqual(refused);
    expect(network.asked).toEqual(["hooks.example.com"]);
    expect(receiver.connections()).toBe(0);
  });

  it("to changing addresses is looked up once per connection, and the checked address is used", async () => {
    await using receiver = await openReceiver();
    const abort = new AbortController();
    // The first answer is a public address, but the test aborts before a connection to it.
    const network = nameServer(["8.8.8.8"], ["127.0.0.1"], ["8.8.8.8"]).afterEach(() => abort.abort());
    const channel = channelTo(`https://rebind.example.com:${receiver.port}`, network);
    expect(await channel.send(delivery(), abort.signal)).toMatchObject({
      error: "The endpoint did not answer in time",
    });
    expect(network.asked).toHaveLength(1);
    expect(await channel.send(delivery(), new AbortController().signal)).toEqual(refused);
    expect(network.asked).toHaveLength(2);
    expect(receiver.connections()).toBe(0);
  });

  it("to a private address receives webhooks with allowPrivate", async () => {
    await using receiver = await openReceiver();
    const url = `http://localhost:${receiver.port}`;
    const channel = webhooksChannel({ endpoints: [{ id: "crm", url, secret, allowPrivate: true }] });
    expect(await channel.send(delivery(), new AbortController().signal)).toEqual({
      ok: true,
      reference: null,
    });
  });
});

describe("an endpoint with a private address as its host", () => {
  it.each([
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f.0.0.1/",
    "https://0177.0.0.1/",
    "https://①②⑦.0.0.1/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://169.254.169.254/latest/meta-data",
    "https://[fd00:ec2::254]/",
    "https://10.0.0.1:8443/",
  ])("is refused at start: %s", (url) => {
    expect(() => webhooksChannel({ endpoints: [{ url, secret }] })).toThrow(
      "endpoints.0.url: is a private or reserved address",
    );
  });
});

import { randomBytes } from "node:crypto";
import type { LookupAddress } from "node:dns";
import { describe, expect, it } from "vitest";
import {
  checkedLookup,
  PrivateAddress,
} from "../../../packages/countersign/src/channels/webhooks/checked-lookup.js";
import { isPublicAddress } from "../../../packages/countersign/src/channels/webhooks/public-address.js";
import { webhooksChannel } from "../../../packages/countersign/src/channels/webhooks/webhooks.js";
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

describe("isPublicAddress", () => {
  it.each([
    ["0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "168.63.129.16"],
    ["169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.168.1.1", "198.18.0.1"],
    ["224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.51.100.1", "203.0.113.9"],
    ["::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:8.8.8.8", "fe80::1"],
    ["fe80::1%eth0", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "100::1", "2001::1", "2001:db8::1"],
    ["2002:7f00:1::", "3fff::1", "64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b::", "64:ff9b:1::1"],
    ["", "localhost", "127.1", "0x7f.0.0.1", "2130706433", "8.8.8.8 ", "1.2.3.4.5"],
  ])("is false for private, reserved and malformed addresses: %s, %s …", (...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });

  it("is true for public addresses", () => {
    const addresses = ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "169.253.0.1", "192.0.1.1"];
    const newer = [
      "2606:4700:4700::1111",
      "2a00:1450:4001:800::200e",
      "64:ff9b::808:808",
      "64:ff9b::8.8.8.8",
    ];
    expect([...addresses, ...newer].filter((address) => !isPublicAddress(address))).toEqual([]);
  });
});

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

describe("a DNS look-up for a single address", () => {
  const lookup = (addresses: string[]) =>
    new Promise((resolve) => {
      const look = checkedLookup(nameServer(addresses).resolve);
      look("hooks.example.com", {}, (error, address, family) => resolve(error ?? [address, family]));
    });

  it("checks all addresses of the host", async () => {
    expect(await lookup(["8.8.8.8", "10.0.0.1"])).toBeInstanceOf(PrivateAddress);
    expect(await lookup(["2606:4700:4700::1111", "8.8.8.8"])).toEqual(["2606:4700:4700::1111", 6]);
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

import { expect, it } from "vitest";
import { checkedLookup, PrivateAddress } from "./checked-lookup.js";

/** Looks up a host with these addresses, for one of them. */
const lookup = (addresses: string[]) =>
  new Promise((resolve) => {
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    const look = checkedLookup((_host, { all }, callback) => callback(null, all ? found : found.slice(0, 1)));
    look("hooks.example.com", {}, (error, address, family) => resolve(error ?? [address, family]));
  });

it("a DNS look-up for a single address checks all addresses of the host", async () => {
  expect(await lookup(["8.8.8.8", "10.0.0.1"])).toBeInstanceOf(PrivateAddress);
  expect(await lookup(["2606:4700:4700::1111", "8.8.8.8"])).toEqual(["2606:4700:4700::1111", 6]);
});

import { describe, expect, it } from "vitest";
import { isPublicAddress } from "./public-address.js";

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

import { BlockList, isIP } from "node:net";

/** Special-purpose networks (IANA), and the address at which Azure serves its hosts' agents. */
const reserved4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/** All public addresses, so that loopback, link-local, unique local and mapped ones need no entry of their own. */
const global6 = ["2000::/3"];
/** Protocol assignments with Teredo, documentation, and 6to4, which embeds IPv4 addresses. */
const reserved6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

function networks(list: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const blocks = new BlockList();
  for (const network of list) {
    const [address = "", bits] = network.split("/");
    blocks.addSubnet(address, Number(bits), family);
  }
  return blocks;
}

const isReserved4 = networks(reserved4, "ipv4");
const isGlobal6 = networks(global6, "ipv6");
const isReserved6 = networks(reserved6, "ipv6");
const isNat64 = networks(["64:ff9b::/96"], "ipv6");

/**
 * Whether an IP address is on the public internet. False for everything else, including texts that are not addresses.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !isReserved4.check(address, "ipv4");
    case 6:
      if (isNat64.check(address, "ipv6")) return isPublicAddress(lastFourBytes(address));
      return isGlobal6.check(address, "ipv6") && !isReserved6.check(address, "ipv6");
    default:
      return false;
  }
}

/** Whether the host of a URL is an address that is not public. `URL` has normalized notations such as `0x7f.1`. */
export function isPrivateLiteral({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(host) !== 0 && !isPublicAddress(host);
}

/** The IPv4 address that a NAT64 address stands for (RFC 6052). */
function lastFourBytes(address: string): string {
  const [, high = "", low = ""] =
    /([0-9a-f]*):([0-9a-f]*)\]$/.exec(new URL(`http://[${address}]`).hostname) ?? [];
  const [first, second] = [Number.parseInt(high || "0", 16), Number.parseInt(low || "0", 16)];
  return [first >> 8, first & 255, second >> 8, second & 255].join(".");
}

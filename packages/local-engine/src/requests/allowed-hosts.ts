import { isIPv4, isIPv6 } from "node:net";
import { isLoopback } from "./loopback.js";

/** Addresses that servers bind to in order to listen on all interfaces. */
const wildcards: readonly string[] = ["0.0.0.0", "[::]"];

/**
 * Creates a check of the `hostname` of request URLs. Loopback always passes. A wildcard address in `hosts` stands for
 * every IP address. That is safe: a page of another site can only reach a local server by its own host name, which it
 * points at this machine (DNS rebinding), and never by an IP address.
 *
 * @throws Error if an entry is not a bare host name or IP address.
 */
export function createHostCheck(hosts: readonly string[]): (hostname: string) => boolean {
  const names = new Set(hosts.map(toHostname));
  const anyAddress = wildcards.some((address) => names.has(address));
  return (hostname) =>
    isLoopback(hostname) ||
    names.has(hostname) ||
    (anyAddress && (isIPv4(hostname) || hostname.startsWith("[")));
}

function toHostname(host: string): string {
  // An address may contain its interface, as in fe80::1%eth0. URLs do not contain it.
  if (isIPv6(host)) return new URL(`http://[${host.replace(/%.*$/, "")}]`).hostname;
  const name = host.toLowerCase();
  if (!name.includes("*") && URL.canParse(`http://${name}`) && new URL(`http://${name}`).hostname === name)
    return name;
  throw new Error(
    `hosts: "${host}" must be a host name or an IP address without a port, such as "engine.internal"`,
  );
}

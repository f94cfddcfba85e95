/**
 * Warnings for the person who is asked to open an address, if it is deceptive or unsafe. An address with warnings can
 * still be the right one.
 */
export function addressWarnings({ protocol, hostname, username, password }: URL): string[] {
  const warnings: string[] = [];
  if (hostname.split(".").some((label) => label.startsWith("xn--"))) {
    warnings.push(
      "This domain has letters of other alphabets, written here as “xn--”. It can imitate a domain that you know.",
    );
  }
  if (username !== "" || password !== "") {
    warnings.push(`What stands before the “@” is not the domain. The page belongs to ${hostname}.`);
  }
  if (isNumeric(hostname))
    warnings.push("This is a number in place of a domain. It does not say whose page it is.");
  if (protocol === "http:") {
    warnings.push("This connection is not encrypted. Others can read what you enter there.");
  }
  return warnings;
}

/** True for IPv4 and IPv6 addresses. URL parsing has already normalized all other spellings of them. */
function isNumeric(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}

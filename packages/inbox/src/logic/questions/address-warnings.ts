import { words } from "../../words/words.js";

/**
 * Warnings for the person who is asked to open an address, if it is deceptive or unsafe. An address with warnings can
 * still be the right one.
 */
export function addressWarnings({ protocol, hostname, username, password }: URL): string[] {
  const warnings: string[] = [];
  const texts = words.decide.address;
  if (hostname.split(".").some((label) => label.startsWith("xn--"))) {
    warnings.push(texts.otherAlphabets);
  }
  if (username !== "" || password !== "") {
    warnings.push(texts.notTheDomain(hostname));
  }
  if (isNumeric(hostname)) warnings.push(texts.numeric);
  if (protocol === "http:") {
    warnings.push(texts.notEncrypted);
  }
  return warnings;
}

/** True for IPv4 and IPv6 addresses. URL parsing has already normalized all other spellings of them. */
function isNumeric(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}

import { describe, expect, it } from "vitest";
import { addressWarnings } from "./address-warnings.js";

const warningsOf = (address: string) => addressWarnings(new URL(address)).join("\n");

describe("warnings about an address to open", () => {
  it("are empty for a plain https address", () => {
    expect(warningsOf("https://pay.example.com:8443/trips?id=a@b.example")).toBe("");
  });

  it.each([
    ["letters of another alphabet", "https://pаypal.com/", "other alphabets"],
    ["such letters in a part of the domain", "https://login.xn--pypal-4ve.com/", "other alphabets"],
    ["a domain before the @", "https://paypal.com@evil.example/", "The page belongs to evil.example"],
    ["a password", "https://:x@evil.example/", "The page belongs to evil.example"],
    ["an IPv4 address", "https://3232235777/", "a number in place of a domain"],
    ["an IPv6 address", "https://[::1]/", "a number in place of a domain"],
    ["no encryption", "http://pay.example.com/", "not encrypted"],
  ])("name %s", (_what, address, words) => {
    expect(warningsOf(address)).toContain(words);
    expect(warningsOf(address).split("\n")).toHaveLength(1);
  });
});

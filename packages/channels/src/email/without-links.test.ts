import { describe, expect, it } from "vitest";
import { withoutLinks, withoutLinksInPaths } from "./without-links.js";

describe("withoutLinks", () => {
  it.each([
    ["40.00 of 1,234.5", "40.00 of 1,234.5"],
    ["Done. Next e.g. this…", "Done. Next e.g. this…"],
    ["10.0.0.1 and 1.2.3", "10.0.0.1 and 1.2.3"],
    ["ada@example.com", "ada@example[.]com"],
    ["a.b.example", "a.b[.]example"],
    ["пример.рф and 例え。テスト", "пример[.]рф and 例え[.]テスト"],
    ["evil.xn--p1ai", "evil[.]xn--p1ai"],
    ["HTTPS://EVIL.EXAMPLE", "HTTPS[:]//EVIL[.]EXAMPLE"],
  ])("turns %s into %s", (text, expected) => {
    expect(withoutLinks(text)).toBe(expected);
  });
});

describe("withoutLinksInPaths", () => {
  it.each([
    ["customer.email", "customer.\u200cemail"],
    ["items.0.name, order.lines", "items.0.\u200cname, order.\u200clines"],
    [
      "customer.email has “a.example” that looks like “b.example”",
      "customer.\u200cemail has “a[.]example” that looks like “b[.]example”",
    ],
    ["“a.example", "“a.\u200cexample"],
    ["https://www.evil.example", "https[:]//www[.]evil.\u200cexample"],
    ["a.b。テスト", "a.b。\u200cテスト"],
  ])("turns %s into %j", (text, expected) => {
    expect(withoutLinksInPaths(text)).toBe(expected);
  });

  it("leaves no host that a browser opens", () => {
    expect(URL.canParse("http://customer.email")).toBe(true);
    for (const host of ["customer.email", "cafe\u0301.com"]) {
      expect(URL.canParse(`http://${withoutLinksInPaths(host)}`)).toBe(false);
      expect(URL.canParse(`http://${withoutLinks(host)}`)).toBe(false);
    }
  });
});

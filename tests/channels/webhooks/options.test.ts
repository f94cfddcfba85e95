import { randomBytes } from "node:crypto";
import { webhooks } from "@countersign/channels/webhooks";
import { CountersignError } from "countersign";
import { describe, expect, it } from "vitest";

const secret = `whsec_${randomBytes(32).toString("base64")}`;
const url = "https://hooks.example.com/hook";

function problemOf(endpoint: unknown): string {
  try {
    webhooks({ endpoints: [endpoint] as never });
  } catch (error) {
    if (!CountersignError.isInstance(error)) throw error;
    expect(error.code).toBe("invalid_option");
    return error.message;
  }
  return "";
}

describe("the options of webhooks", () => {
  it("require only a URL and a secret", () => {
    expect(problemOf({ url, secret })).toBe("");
    expect(problemOf({ url, secret: `whsec_${randomBytes(24).toString("base64")}` })).toBe("");
    expect(problemOf({ url, secret: [secret, `whsec_${randomBytes(64).toString("base64")}`] })).toBe("");
  });

  it.each([
    ["", "without a prefix"],
    [randomBytes(32).toString("base64"), "without a prefix"],
    [`whsec_${randomBytes(23).toString("base64")}`, "too short"],
    [`whsec_${randomBytes(65).toString("base64")}`, "too long"],
    [`whsec_${"*".repeat(40)}`, "no base64"],
    [`${secret}\n`, "with a line break"],
    [[], "without any"],
    [[secret, "whsec_"], "with a bad second one"],
    [undefined, "missing"],
  ])("refuse a bad secret without quoting it (case %#)", (bad, _why) => {
    const problem = problemOf({ url, secret: bad });
    expect(problem).toMatch(/^endpoints\.0\.secret(\.\d)?: must be "whsec_" and the base64 of 24 to 64/);
    if (typeof bad === "string" && bad.length > 10) expect(problem).not.toContain(bad.slice(8));
  });

  it.each([
    "http://hooks.example.com",
    "ftp://hooks.example.com",
    "https://user:pass@hooks.example.com",
    "hooks.example.com",
    "/hook",
    42,
    undefined,
  ])("refuse the URL %s", (bad) => {
    const problem = problemOf({ url: bad, secret });
    expect(problem).toBe("endpoints.0.url: must be an https URL without user name and password");
  });

  it("allow http only with allowPrivate, and no other protocol", () => {
    expect(problemOf({ url: "http://10.0.0.1:8080", secret, allowPrivate: true })).toBe("");
    expect(problemOf({ url: "ftp://10.0.0.1/secret.txt", secret, allowPrivate: true })).toBe(
      "endpoints.0.url: must be an https or http URL",
    );
  });

  it("refuse unknown fields, unknown events, bad ids and two endpoints of one id", () => {
    expect(problemOf({ url, secret, event: [] })).toContain("event");
    expect(problemOf({ url, secret, events: ["approval.closed"] })).toContain("endpoints.0.events.0: ");
    expect(problemOf({ url, secret, events: [] })).toContain("endpoints.0.events: must name an event");
    expect(problemOf({ url, secret, id: "a b" })).toContain("endpoints.0.id: must be 1 to 64");
    expect(() =>
      webhooks({
        endpoints: [
          { url, secret },
          { url, secret },
        ],
      }),
    ).toThrow("endpoints: two of them");
    expect(() => webhooks({} as never)).toThrow("endpoints: must be a list");
    expect(() => webhooks(undefined as never)).toThrow("endpoints: must be a list");
  });
});

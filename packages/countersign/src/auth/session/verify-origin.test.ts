import { describe, expect, test } from "vitest";
import { verifyOrigin } from "./verify-origin.js";

const url = "https://approvals.example.com/api/approvals/1/decision";
const own = "https://approvals.example.com";

function request(method: string, headers: Record<string, string> = {}, to = url) {
  return new Request(to, { method, headers });
}

test.each(["GET", "HEAD", "OPTIONS"])("a %s request passes from any origin", (method) => {
  expect(verifyOrigin(request(method, { origin: "https://evil.example" }))).toBe(true);
});

describe.each(["POST", "PUT", "PATCH", "DELETE", "REPORT"])("verifyOrigin of a %s request", (method) => {
  test.each<[boolean, Record<string, string>]>([
    [true, { origin: own }],
    [true, { origin: own, "sec-fetch-site": "same-origin" }],
    [true, { "sec-fetch-site": "same-origin" }],
    [false, {}],
    [false, { origin: "null" }],
    [false, { origin: "" }],
    [false, { origin: "https://evil.example" }],
    [false, { origin: "https://evil.example", "sec-fetch-site": "same-origin" }],
    [false, { origin: "http://approvals.example.com" }],
    [false, { origin: "https://approvals.example.com:8443" }],
    [false, { origin: "https://approvals.example.com.evil.example" }],
    [false, { origin: "https://APPROVALS.example.com" }],
    [false, { "sec-fetch-site": "same-site" }],
    [false, { "sec-fetch-site": "cross-site" }],
    [false, { "sec-fetch-site": "none" }],
    [false, { referer: `${own}/inbox` }],
  ])("returns %j for %j", (passes, headers) => {
    expect(verifyOrigin(request(method, headers))).toBe(passes);
  });
});

test("allowed origins replace the request's own origin", () => {
  const options = { allowedOrigins: ["https://inbox.example.com", "http://localhost:5173"] };
  expect(verifyOrigin(request("POST", { origin: "https://inbox.example.com" }), options)).toBe(true);
  expect(verifyOrigin(request("POST", { origin: "http://localhost:5173" }), options)).toBe(true);
  expect(verifyOrigin(request("POST", { origin: own }), options)).toBe(false);
  const behindProxy = request("POST", { origin: own }, "http://10.0.0.7:3000/api");
  expect(verifyOrigin(behindProxy)).toBe(false);
  expect(verifyOrigin(behindProxy, { allowedOrigins: [own] })).toBe(true);
});

test.each([
  ["*"],
  ["null"],
  ["https://a.example/"],
  ["https://a.example/inbox"],
  ["https://A.example"],
  ["https://a.example:443"],
  ["a.example"],
  ["file://"],
  [7],
])("%j is refused as an allowed origin", (origin) => {
  expect(() => verifyOrigin(request("GET"), { allowedOrigins: [origin as string] })).toThrow(
    expect.objectContaining({ code: "invalid_option", message: expect.stringContaining("allowedOrigins: ") }),
  );
});

test.each([[[]], ["https://a.example"]])("%j is refused as the list of allowed origins", (allowedOrigins) => {
  expect(() => verifyOrigin(request("GET"), { allowedOrigins: allowedOrigins as string[] })).toThrow(
    expect.objectContaining({ code: "invalid_option" }),
  );
});

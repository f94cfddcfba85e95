import { describe, expect, test } from "vitest";
import { createRequestSourceCheck } from "./check-request-source.js";

const url = "http://127.0.0.1:3000/e/key";
const json = { "content-type": "application/json" };

function codeOf(
  headers: Record<string, string>,
  { to = url, method = "POST", hosts = [] as string[], maxBodyBytes = 100 } = {},
) {
  return createRequestSourceCheck({ hosts, maxBodyBytes })(new Request(to, { method, headers }))?.code;
}

describe("the check of Origin and Sec-Fetch-Site", () => {
  test.each<[string | undefined, Record<string, string>]>([
    [undefined, {}],
    [undefined, { origin: "http://127.0.0.1:3000" }],
    [undefined, { origin: "https://127.0.0.1:3000" }],
    [undefined, { "sec-fetch-site": "same-origin" }],
    [undefined, { "sec-fetch-site": "none" }],
    ["foreign_origin", { origin: "https://evil.example" }],
    ["foreign_origin", { origin: "http://127.0.0.1:5173" }],
    ["foreign_origin", { origin: "http://localhost:3000" }],
    ["foreign_origin", { origin: "null" }],
    ["foreign_origin", { origin: "" }],
    ["foreign_origin", { "sec-fetch-site": "cross-site" }],
    ["foreign_origin", { "sec-fetch-site": "same-site" }],
    ["foreign_origin", { "sec-fetch-site": "anything-new" }],
    ["foreign_origin", { origin: "http://127.0.0.1:3000", "sec-fetch-site": "cross-site" }],
  ])("returns %s for %j", (code, headers) => {
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      expect(codeOf({ ...json, ...headers }, { method })).toBe(code);
    }
  });

  test.each(["GET", "HEAD"])("accepts all headers for %s, which a link on any page may cause", (method) => {
    expect(codeOf({ origin: "https://evil.example", "sec-fetch-site": "cross-site" }, { method })).toBe(
      undefined,
    );
  });
});

describe("the check of Host", () => {
  test.each([
    [undefined, "http://localhost", []],
    [undefined, "http://127.0.0.1:3000", []],
    [undefined, "http://127.8.9.1", []],
    [undefined, "http://[::1]:3000", []],
    ["unexpected_host", "http://evil.example:3000", []],
    ["unexpected_host", "http://localhost.evil.example", []],
    ["unexpected_host", "http://127.0.0.1.evil.example", []],
    ["unexpected_host", "http://192.168.0.10:3000", []],
    ["unexpected_host", "http://0.0.0.0:3000", []],
    [undefined, "http://192.168.0.10:3000", ["192.168.0.10"]],
    [undefined, "http://engine.internal", ["Engine.internal"]],
    [undefined, "http://[fd00::1]", ["fd00:0::1"]],
    ["unexpected_host", "http://192.168.0.11", ["192.168.0.10", "engine.internal"]],
    [undefined, "http://192.168.0.10", ["0.0.0.0"]],
    [undefined, "http://[fd00::1]", ["::"]],
    ["unexpected_host", "http://evil.example", ["0.0.0.0", "::"]],
  ])("returns %s for %s if hosts are %j", (code, to, hosts) => {
    expect(codeOf({}, { to, hosts, method: "GET" })).toBe(code);
    expect(codeOf(json, { to, hosts })).toBe(code);
  });

  test.each(["http://a.example", "a.example:80", "a.example/", "", "*", "127.1"])(
    "refuses %j as an entry of hosts",
    (host) => {
      expect(() => createRequestSourceCheck({ hosts: [host] })).toThrow(
        `hosts: "${host}" must be a host name`,
      );
    },
  );
});

describe("the check of bodies", () => {
  test.each<[string | undefined, Record<string, string>]>([
    [undefined, {}],
    [undefined, { "content-length": "0" }],
    [undefined, { "content-type": "application/json; charset=utf-8", "content-length": "100" }],
    [undefined, { "content-type": "application/problem+json" }],
    ["body_too_large", { ...json, "content-length": "101" }],
    ["unsupported_media_type", { "content-type": "text/plain;charset=UTF-8" }],
    ["unsupported_media_type", { "content-type": "application/x-www-form-urlencoded" }],
    ["unsupported_media_type", { "content-type": "application/jsonp" }],
    ["unsupported_media_type", { "content-length": "1" }],
    ["unsupported_media_type", { "transfer-encoding": "chunked" }],
  ])("returns %s for %j", (code, headers) => {
    expect(codeOf(headers)).toBe(code);
  });
});

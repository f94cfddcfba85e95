import { afterEach, expect, test, vi } from "vitest";
import { approvalsApi } from "../hono.js";
import type { Countersign } from "../instance/countersign.js";
import type { Principal } from "../shared/principal.js";
import { type AnyAuthenticator, anyOf } from "./any-of.js";
import { cookieSessionAuthenticator } from "./session/cookie-session-authenticator.js";
import { createApiToken } from "./tokens/api-token.js";
import { apiTokenAuthenticator } from "./tokens/api-token-authenticator.js";

const request = new Request("https://a.example/");
const ada = { id: "ada", tenantId: "acme", roles: [] };
const bob = { id: "bob", tenantId: "acme", roles: [] };
const nobody = async () => null;

afterEach(() => vi.restoreAllMocks());

test("the first that knows the principal wins, and later ones are not asked", async () => {
  const third = vi.fn(async () => bob);
  expect(await anyOf(nobody, () => ada, third)(request)).toEqual(ada);
  expect(third).not.toHaveBeenCalled();
  expect(await anyOf(nobody, nobody)(request)).toBeNull();
  const known = { ...ada, authenticatedBy: "passkey" };
  expect(await anyOf(nobody, () => known)(request)).toEqual(known);
});

test("one that throws, at once or later, counts as nobody and is reported", async () => {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const failure = new Error("down");
  const throws = () => {
    throw failure;
  };
  expect(
    await anyOf(
      throws,
      async () => throws(),
      nobody,
      async () => bob,
      { onError },
    )(request),
  ).toEqual(bob);
  expect(errors).toEqual([failure, failure]);
  expect(await anyOf(throws, { onError })(request)).toBeNull();
});

test("without onError the console gets the error's name and not its message", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const rejects = () => Promise.reject(new TypeError("bad token cs_secret"));
  expect(await anyOf(rejects, nobody)(request)).toBeNull();
  expect(log.mock.calls).toEqual([[expect.any(String), { error: "TypeError" }]]);
  expect(String(log.mock.calls)).not.toContain("cs_secret");
});

test("a reporter that throws keeps nobody from being asked", async () => {
  const onError = () => {
    throw new Error("the logger is broken");
  };
  expect(
    await anyOf(
      () => Promise.reject(new Error("down")),
      () => bob,
      { onError },
    )(request),
  ).toEqual(bob);
});

test.each([
  ["true", true],
  ["no roles", { id: "a", tenantId: "b" }],
  ["a long id", { ...ada, id: "a".repeat(201) }],
  ["NUL in a role", { ...ada, roles: ["\0"] }],
  ["a long word on how it is known", { ...ada, authenticatedBy: "a".repeat(201) }],
])("one that returns %s counts as nobody and is reported", async (_what, value) => {
  const onError = vi.fn();
  expect(
    await anyOf(
      () => value as Principal,
      () => bob,
      { onError },
    )(request),
  ).toEqual(bob);
  expect(onError).toHaveBeenCalledTimes(1);
});

test.each([
  ["nothing", []],
  ["options alone", [{ onError: () => undefined }]],
  ["a whole session", [cookieSessionAuthenticator({ keys: ["k".repeat(32)] })]],
  ["nobody", [nobody, null]],
])("is refused with %s", (_what, authenticators) => {
  expect(() => anyOf(...(authenticators as AnyAuthenticator[]))).toThrow(
    expect.objectContaining({ code: "invalid_option", message: expect.stringContaining("anyOf") }),
  );
});

test("the approvals API takes browsers by cookie and programs by token, and nobody else", async () => {
  const { token, hash } = createApiToken();
  const session = cookieSessionAuthenticator({ keys: ["k".repeat(32)] });
  const authenticate = anyOf(
    session.authenticate,
    apiTokenAuthenticator({ tokens: [{ id: "bot", hash, principal: bob }] }),
  );
  const asked: string[] = [];
  const store = {
    listApprovals: async ({ visibleTo }: { visibleTo: Principal }) => {
      asked.push(visibleTo.id);
      return [];
    },
    now: async () => new Date(),
    engagedStops: async () => [],
  };
  const api = approvalsApi({ store } as unknown as Countersign, { authenticate });
  const statusOf = async (headers: Record<string, string>, method = "GET") =>
    (await api.request("https://a.example/approvals", { method, headers })).status;

  const cookie = (await session.signIn(ada)).split(";")[0] ?? "";
  expect(await statusOf({ cookie })).toBe(200);
  expect(await statusOf({ authorization: `Bearer ${token}` })).toBe(200);
  expect(asked).toEqual(["ada", "bob"]);
  expect(await statusOf({})).toBe(401);
  expect(await statusOf({ authorization: `Bearer ${createApiToken().token}` })).toBe(401);
  expect(await statusOf({ cookie, origin: "https://evil.example" }, "POST")).toBe(401);
});

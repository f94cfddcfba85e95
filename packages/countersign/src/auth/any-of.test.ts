import type { Principal } from "@countersign/policy/internal/shared/principal";
import { afterEach, expect, test, vi } from "vitest";
import { approvalsApi } from "../hono.js";
import type { Countersign } from "../instance/countersign.js";
import { type AnyAuthenticator, anyOf } from "./any-of.js";
import { cookieSessionAuthenticator } from "./session/cookie-session-authenticator.js";
import { createApiToken } from "./tokens/api-token.js";
import { apiTokenAuthenticator } from "./tokens/api-token-authenticator.js";

const request = new Request("https://a.example/");
const ada = { id: "ada", tenantId: "acme", roles: [] };
const bob = { id: "bob", tenantId: "acme", roles: [] };
const findsNobody = async () => null;

afterEach(() => vi.restoreAllMocks());

test("anyOf returns the first principal that an authenticator finds, and asks no later authenticator", async () => {
  const third = vi.fn(async () => bob);
  expect(await anyOf(findsNobody, () => ada, third)(request)).toEqual(ada);
  expect(third).not.toHaveBeenCalled();
  expect(await anyOf(findsNobody, findsNobody)(request)).toBeNull();
  const known = { ...ada, authenticatedBy: "passkey" };
  expect(await anyOf(findsNobody, () => known)(request)).toEqual(known);
});

test("an authenticator that throws or rejects counts as finding nobody, and its error is reported", async () => {
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
      findsNobody,
      async () => bob,
      { onError },
    )(request),
  ).toEqual(bob);
  expect(errors).toEqual([failure, failure]);
  expect(await anyOf(throws, { onError })(request)).toBeNull();
});

test("without onError, anyOf logs the name of an error to the console, and not its message", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const rejects = () => Promise.reject(new TypeError("bad token cs_secret"));
  expect(await anyOf(rejects, findsNobody)(request)).toBeNull();
  expect(log.mock.calls).toEqual([[expect.any(String), { error: "TypeError" }]]);
  expect(String(log.mock.calls)).not.toContain("cs_secret");
});

test("anyOf asks the next authenticator even if onError throws", async () => {
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
  ["a principal without roles", { id: "a", tenantId: "b" }],
  ["an id of 201 characters", { ...ada, id: "a".repeat(201) }],
  ["a role with NUL", { ...ada, roles: ["\0"] }],
  ["an authenticatedBy of 201 characters", { ...ada, authenticatedBy: "a".repeat(201) }],
])(
  "an authenticator that returns %s counts as finding nobody, and an error is reported",
  async (_what, value) => {
    const onError = vi.fn();
    expect(
      await anyOf(
        () => value as Principal,
        () => bob,
        { onError },
      )(request),
    ).toEqual(bob);
    expect(onError).toHaveBeenCalledTimes(1);
  },
);

test.each([
  ["no authenticators", []],
  ["options and no authenticators", [{ onError: () => undefined }]],
  [
    "a session in place of its authenticate function",
    [cookieSessionAuthenticator({ keys: ["k".repeat(32)] })],
  ],
  ["null as an authenticator", [findsNobody, null]],
])("anyOf refuses %s", (_what, authenticators) => {
  expect(() => anyOf(...(authenticators as AnyAuthenticator[]))).toThrow(
    expect.objectContaining({ code: "invalid_option", message: expect.stringContaining("anyOf") }),
  );
});

test("a principal without a tenant stays so, for the instance to add its own", async () => {
  const { tenantId: _, ...cleo } = { ...ada, id: "cleo" };
  expect(await anyOf(() => cleo)(request)).toEqual(cleo);

  const { token, hash } = createApiToken();
  const tokens = apiTokenAuthenticator({ tokens: [{ id: "bot", hash, principal: cleo }] });
  const withToken = new Request(request, { headers: { authorization: `Bearer ${token}` } });
  expect(await tokens(withToken)).toEqual({ ...cleo, authenticatedBy: "api-token bot" });

  const session = cookieSessionAuthenticator({ keys: ["k".repeat(32)] });
  const cookie = (await session.signIn(cleo)).split(";")[0] ?? "";
  const signedIn = await session.authenticate(new Request(request, { headers: { cookie } }));
  expect(signedIn).toEqual({ ...cleo, authenticatedBy: "session" });
});

test("a tenant without a value is no principal", async () => {
  const errors: unknown[] = [];
  const lost = { ...ada, tenantId: undefined as never };
  expect(await anyOf(() => lost, { onError: (error) => errors.push(error) })(request)).toBeNull();
  expect(errors).toEqual([expect.any(TypeError)]);
});

test("the approvals API accepts a session cookie or an API token, and refuses all other requests", async () => {
  const { token, hash } = createApiToken();
  const session = cookieSessionAuthenticator({ keys: ["k".repeat(32)] });
  const authenticate = anyOf(
    session.authenticate,
    apiTokenAuthenticator({ tokens: [{ id: "bot", hash, principal: bob }] }),
  );
  const principalIds: string[] = [];
  const store = {
    listApprovals: async ({ visibleTo }: { visibleTo: Principal }) => {
      principalIds.push(visibleTo.id);
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
  expect(principalIds).toEqual(["ada", "bob"]);
  expect(await statusOf({})).toBe(401);
  expect(await statusOf({ authorization: `Bearer ${createApiToken().token}` })).toBe(401);
  expect(await statusOf({ cookie, origin: "https://evil.example" }, "POST")).toBe(401);
});

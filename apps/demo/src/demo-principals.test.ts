import { principalSchema } from "countersign";
import { describe, expect, it } from "vitest";
import { authenticate, demoTokens } from "./demo-principals.js";

const signedWith = (authorization?: string) =>
  authenticate(
    new Request("http://demo/", authorization === undefined ? {} : { headers: { authorization } }),
  );

describe("authenticate", () => {
  it.each(demoTokens)("knows %s", (token) => {
    const id = token.replace("demo-", "");
    const principal = signedWith(`Bearer ${token}`);
    expect(principal).toMatchObject({
      id,
      tenantId: "demo",
      roles: [id === "accountant" ? "finance" : id],
    });
    expect(principalSchema.parse(principal)).toEqual(principal);
  });

  it.each([
    undefined,
    "",
    "Bearer",
    "Bearer nobody",
    "Basic demo-admin",
    "demo-admin",
    "Bearer demo-admin demo-lead",
    "Bearer __proto__",
  ])("knows nobody with %s", (authorization) => {
    expect(signedWith(authorization)).toBeNull();
  });
});

import { principalSchema } from "countersign";
import { describe, expect, it } from "vitest";
import { authenticate, demoTokens } from "./demo-principals.js";

const principalWith = (authorization?: string) =>
  authenticate(
    new Request("http://demo/", authorization === undefined ? {} : { headers: { authorization } }),
  );

describe("authenticate", () => {
  it.each(demoTokens)("returns the principal of %s", (token) => {
    const id = token.replace("demo-", "");
    const principal = principalWith(`Bearer ${token}`);
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
  ])("returns null for the header %s", (authorization) => {
    expect(principalWith(authorization)).toBeNull();
  });
});

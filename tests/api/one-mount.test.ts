import { approvalsApp } from "@countersign/inbox/server";
import type { Authenticate } from "countersign/hono";
import { toNextHandlers } from "countersign/next";
import { Hono } from "hono";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openWaitingRefund } from "../support/waiting-refund.js";

let world: Awaited<ReturnType<typeof openWaitingRefund>>;
beforeAll(async () => {
  world = await openWaitingRefund();
});
afterAll(() => world[Symbol.asyncDispose]());

/** A finance person of a session that knows no tenants. */
const withoutTenant: Authenticate = () => ({ id: "fay", roles: ["finance"] });

const mounted = (authenticate: Authenticate, path?: `/${string}`) =>
  approvalsApp(world.harness.countersign, { authenticate, ...(path && { path }) });

it("serves the inbox and its API under one path, beside the host's own routes", async () => {
  const app = new Hono().route("/", mounted(withoutTenant)).get("/health", (c) => c.text("fine"));
  const page = await (await app.request("/approvals")).text();
  const [, asset = ""] = page.match(/src="(\/approvals\/assets\/[^"]+\.js)"/) ?? [];
  expect((await app.request(asset)).status).toBe(200);
  expect(page).toContain('"apiBase":"/approvals/api","basePath":"/approvals"');
  expect((await app.request("/approvals/a/call")).headers.get("content-type")).toContain("text/html");
  const list = await app.request("/approvals/api/approvals?status=pending");
  expect(await list.json()).toMatchObject({ items: [{ id: world.approval.id }] });
  expect(await (await app.request("/health")).text()).toBe("fine");
});

it("a person without the field tenantId belongs to the instance's tenant; a tenantId without a value belongs to none", async () => {
  const app = mounted(withoutTenant);
  const me = await app.request("/approvals/api/me");
  expect(await me.json()).toMatchObject({ principal: { id: "fay", tenantId: "acme" } });
  for (const tenantId of [undefined, null, ""]) {
    const broken = mounted(() => ({ id: "fay", roles: ["finance"], tenantId }) as never);
    const refused = await broken.request("/approvals/api/approvals");
    expect([tenantId, refused.status]).toEqual([tenantId, 500]);
  }
});

it("a tenantId that a session's class computes is the person's", async () => {
  class Session {
    id = "fay";
    roles = ["finance"];
    get tenantId() {
      return "other";
    }
  }
  const me = await mounted(() => new Session()).request("/approvals/api/me");
  expect(await me.json()).toMatchObject({ principal: { id: "fay", tenantId: "other" } });
});

it("serves Next's route of the same path, and any path", async () => {
  const { GET } = toNextHandlers(mounted(withoutTenant, "/desk/approvals"));
  const at = (path: string) => GET(new Request(`http://localhost:3000${path}`));
  expect((await at("/desk/approvals")).status).toBe(200);
  expect((await at("/desk/approvals/api/approvals")).status).toBe(200);
  expect((await at("/approvals")).status).toBe(404);
  const atRoot = mounted(withoutTenant, "/");
  expect((await atRoot.request("/api/approvals")).status).toBe(200);
  expect(await (await atRoot.request("/")).text()).toContain('"apiBase":"/api","basePath":""');
});

it("only the pages that the options name may frame the inbox, and its files", async () => {
  const policyOf = async (frameAncestors?: readonly string[]) => {
    const { countersign } = world.harness;
    const app = approvalsApp(countersign, {
      authenticate: withoutTenant,
      ...(frameAncestors && { frameAncestors }),
    });
    const response = await app.request("/approvals");
    expect(await response.text()).not.toContain("frameAncestors");
    const manifest = await app.request("/approvals/manifest.webmanifest");
    const policy = response.headers.get("content-security-policy");
    expect(manifest.headers.get("content-security-policy")).toBe(policy);
    return policy?.split("; ").find((rule) => rule.startsWith("frame-ancestors"));
  };
  expect(await policyOf()).toBe("frame-ancestors 'none'");
  expect(await policyOf([])).toBe("frame-ancestors 'none'");
  expect(
    await policyOf(["self", "https://desk.example.com", "http://localhost:3000", "https://*.example.com"]),
  ).toBe("frame-ancestors 'self' https://desk.example.com http://localhost:3000 https://*.example.com");
  const wrong = [
    ..."* 'self' https: desk.example.com https://desk.example.com/ https://*".split(" "),
    "https://a.example https://b.example",
    "https://a.example; script-src *",
    "",
  ];
  for (const each of wrong) {
    await expect(policyOf([each]), each).rejects.toThrow(
      `frameAncestors: must be "self" or origins such as "https://desk.example.com", not ${JSON.stringify(each)}`,
    );
  }
});

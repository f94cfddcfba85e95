import { cookieSessionAuthenticator } from "countersign/auth";
import { describe, expect, it } from "vitest";
import { personWith } from "../demo-principals.js";
import { sessionRoute } from "./session.js";

const origin = "http://localhost:3000";

function setUp() {
  const session = cookieSessionAuthenticator({ keys: ["a secret of at least thirty-two bytes"] });
  const route = sessionRoute({ session, personWith });
  const send = (method: string, body?: unknown, from = origin) =>
    route.request(`${origin}/session`, {
      method,
      headers: { origin: from },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const who = (cookie: string) =>
    session.authenticate(new Request(`${origin}/`, { headers: { cookie: cookie.split(";")[0] ?? "" } }));
  return { send, who };
}

describe("/session", () => {
  it("exchanges a token for a cookie that identifies the person", async () => {
    const { send, who } = setUp();
    const response = await send("POST", { token: "demo-lead" });
    expect(response.status).toBe(204);
    expect(await who(response.headers.get("set-cookie") ?? "")).toMatchObject({
      id: "lead",
      roles: ["lead"],
    });
  });

  it("answers DELETE with a cookie that identifies nobody", async () => {
    const { send, who } = setUp();
    const response = await send("DELETE");
    expect(response.status).toBe(204);
    expect(await who(response.headers.get("set-cookie") ?? "")).toBeNull();
  });

  it("refuses an unknown token, an empty token and an empty body", async () => {
    const { send } = setUp();
    expect((await send("POST", { token: "demo-nobody" })).status).toBe(401);
    expect((await send("POST", { token: "" })).status).toBe(400);
    expect((await send("POST")).status).toBe(400);
  });

  it.each(["POST", "DELETE"])("refuses a %s from another site's page", async (method) => {
    const { send } = setUp();
    const response = await send(method, { token: "demo-lead" }, "https://elsewhere.example");
    expect([response.status, response.headers.get("set-cookie")]).toEqual([403, null]);
  });
});

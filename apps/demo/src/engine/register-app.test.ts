import { describe, expect, it } from "vitest";
import { isAppKnown, registerApp } from "./register-app.js";

const url = "http://127.0.0.1:3000/api/inngest";

describe("registerApp", () => {
  it("sends a PUT request to the SDK's handler", async () => {
    const requests: string[] = [];
    const problem = await registerApp(async (request) => {
      requests.push(`${request.method} ${request.url}`);
      return Response.json({ message: "Successfully registered" });
    }, url);
    expect([problem, requests]).toEqual([undefined, [`PUT ${url}`]]);
  });

  it.each([
    [
      { message: "Failed to register; Unexpected token 'A'; status code: 401" },
      500,
      "refuses to register this app: set INNGEST_SIGNING_KEY to the server's signing key",
    ],
    [
      { message: "Unauthorized" },
      401,
      "refuses to register this app: set INNGEST_SIGNING_KEY to the server's signing key",
    ],
    [
      { message: "Failed to register; fetch failed" },
      500,
      "does not register this app (fetch failed); trying again",
    ],
    [{}, 502, "does not register this app (status 502); trying again"],
  ])("explains the response %j", async (body, status, problem) => {
    expect(await registerApp(async () => Response.json(body, { status }), url)).toBe(problem);
  });
});

describe("isAppKnown", () => {
  const ask = (answer: () => Response) => {
    const requests: [string, string | null][] = [];
    const engine = {
      baseUrl: "http://127.0.0.1:8288",
      signingKey: "key",
      fetch: async (input: string | URL | Request, init?: RequestInit) => {
        requests.push([String(input), new Headers(init?.headers).get("authorization")]);
        return answer();
      },
    };
    return { requests, known: isAppKnown(engine, "demo") };
  };

  it("looks for the app's functions at GET /dev", async () => {
    const { requests, known } = ask(() =>
      Response.json({ functions: [{ slug: "demo-agent", name: "agent" }] }),
    );
    expect(await known).toBe(true);
    expect(requests).toEqual([["http://127.0.0.1:8288/dev", "Bearer key"]]);
    expect(await ask(() => Response.json({ functions: [{ slug: "another-agent" }] })).known).toBe(false);
    expect(await ask(() => Response.json({ functions: [] })).known).toBe(false);
  });

  it("trusts a server that has no such route, but not one that does not answer", async () => {
    expect(await ask(() => new Response("404 page not found", { status: 404 })).known).toBe(true);
    expect(
      await ask(() => {
        throw new TypeError("fetch failed");
      }).known,
    ).toBe(false);
  });
});

import { describe, expect, it } from "vitest";
import { listen } from "../http/listen.js";
import { registerApp } from "./register-app.js";

describe("registerApp", () => {
  it("asks the app to register until the engine has answered, and says so", async () => {
    const asked: string[] = [];
    const app = await listen(
      (request) => {
        asked.push(request.method);
        return new Response(null, { status: asked.length < 2 ? 500 : 200 });
      },
      { host: "127.0.0.1", port: 0 },
    );
    const lines: string[] = [];
    await registerApp(`http://127.0.0.1:${app.port}/api/inngest`, "http://engine:8288", {
      signal: new AbortController().signal,
      log: (line) => lines.push(line),
      retryEveryMs: 1,
    });
    await app.close();
    expect(asked).toEqual(["PUT", "PUT"]);
    expect(lines).toEqual([
      "Inngest at http://engine:8288 does not answer yet (status 500); trying on",
      "Registered with Inngest at http://engine:8288",
    ]);
  });

  it("stops when it is told to", async () => {
    const stop = new AbortController();
    const registering = registerApp("http://127.0.0.1:9/api/inngest", "http://engine:8288", {
      signal: stop.signal,
      log: () => stop.abort(),
    });
    await expect(registering).resolves.toBeUndefined();
  });
});

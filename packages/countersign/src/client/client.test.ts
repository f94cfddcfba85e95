import { describe, expect, it } from "vitest";
import { ApprovalsApiError, ApprovalsConnectionError, createApprovalsClient } from "../client.js";

const me = {
  principal: { id: "finn", tenantId: "acme", roles: ["finance"] },
  can: { auditAll: false, seeEverything: false, stop: false },
  serverTime: "2026-01-02T03:04:05.000Z",
};

function clientOf(respond: (request: Request) => Response | Promise<Response>, timeoutMs?: number) {
  const times: string[] = [];
  const client = createApprovalsClient({
    baseUrl: "https://desk.example/api/",
    fetch: async (request) => respond(request),
    onServerTime: (time) => times.push(time.toISOString()),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return { client, times };
}

/** Does not respond until the request is aborted. */
const silent = (request: Request) => {
  // `fetch` keeps its request alive, and so its signal.
  inFlight.push(request);
  return new Promise<never>((_, reject) =>
    request.signal.addEventListener("abort", () => reject(request.signal.reason)),
  );
};
const inFlight: Request[] = [];

describe("createApprovalsClient", () => {
  it("reports the server's time from the body, or else from the Date header", async () => {
    const { client, times } = clientOf(({ url }) =>
      url.endsWith("/me")
        ? Response.json(me, { headers: { date: "Fri, 02 Jan 2026 03:00:00 GMT" } })
        : Response.json({ items: [] }, { headers: { date: "Fri, 02 Jan 2026 05:00:00 GMT" } }),
    );
    await client.me();
    await client.listPeople();
    expect(times).toEqual(["2026-01-02T03:04:05.000Z", "2026-01-02T05:00:00.000Z"]);
  });

  it("rejects with a connection error if no complete response arrives", async () => {
    const broken = new ReadableStream({ start: (controller) => controller.error(new Error("reset")) });
    for (const respond of [
      () => Promise.reject(new TypeError("connection refused")),
      () => new Response(broken),
      () => new Response('{"principal":'),
    ]) {
      await expect(clientOf(respond).client.me()).rejects.toBeInstanceOf(ApprovalsConnectionError);
    }
  });

  it("rejects with a connection error after the time limit", async () => {
    const { client } = clientOf(silent, 20);
    const error = await client.me().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApprovalsConnectionError);
    expect((error as Error).cause).toMatchObject({ name: "TimeoutError" });
  });

  it("rejects an aborted call with the caller's reason", async () => {
    const controller = new AbortController();
    const call = clientOf(silent, 60_000).client.me({ signal: controller.signal });
    controller.abort(new Error("left the page"));
    await expect(call).rejects.toThrow(/^left the page$/);
  });

  it("turns an error response of a proxy into a problem", async () => {
    const { client } = clientOf(() => new Response("<h1>Bad gateway</h1>", { status: 502 }));
    const error = await client.me().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApprovalsApiError);
    expect(error).toMatchObject({ status: 502, code: "unexpected_answer" });
  });

  it("passes keepalive and cookies on", async () => {
    let sent: Request | undefined;
    const { client } = clientOf((request) => {
      sent = request;
      return Response.json(me);
    });
    await client.setViewing({ id: "a/b", body: { active: false }, keepalive: true });
    expect(sent).toMatchObject({
      url: "https://desk.example/api/approvals/a%2Fb/viewing",
      method: "POST",
      keepalive: true,
      credentials: "same-origin",
    });
  });
});

describe("followEvents", () => {
  const hello = 'event: hello\ndata: {"serverTime":"2026-01-02T03:04:05.000Z"}\n\n';
  const change = {
    position: 7,
    type: "approval.approved",
    approvalId: "apr_ü",
    at: "2026-01-02T03:04:05.000Z",
  };

  it("yields each event, however the stream is cut into chunks", async () => {
    const text = `${hello}: still here\n\nevent: change\ndata: ${JSON.stringify(change)}\nid: 7\n\n`;
    const bytes = new TextEncoder().encode(text);
    let sent: Request | undefined;
    let cancelled = false;
    const { client, times } = clientOf((request) => {
      sent = request;
      const body = new ReadableStream({
        start: (controller) => {
          for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        },
        cancel: () => {
          cancelled = true;
        },
      });
      return new Response(body);
    });
    const events = [];
    for await (const event of client.followEvents({ after: "6" })) {
      events.push(event);
      if (event.event === "change") break;
    }
    expect(events).toEqual([
      { event: "hello", id: undefined, data: { serverTime: "2026-01-02T03:04:05.000Z" } },
      { event: "change", id: "7", data: change },
    ]);
    expect(sent?.url).toBe("https://desk.example/api/events?after=6");
    expect(times).toEqual(["2026-01-02T03:04:05.000Z"]);
    expect(cancelled).toBe(true);
  });

  it("ends without an error when it is aborted", async () => {
    const controller = new AbortController();
    const { client } = clientOf(silent);
    const next = client.followEvents({ signal: controller.signal }).next();
    controller.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it("throws the problem of a refusal, and a connection error if the stream breaks", async () => {
    const problem = { code: "unauthenticated", status: 401, detail: "Sign in", title: "Sign in" };
    const refused = clientOf(() => Response.json(problem, { status: 401 })).client;
    await expect(refused.followEvents().next()).rejects.toMatchObject({ code: "unauthenticated" });
    const breaking = clientOf(
      () =>
        new Response(
          new ReadableStream({ pull: (controller) => controller.error(new TypeError("terminated")) }),
        ),
    ).client;
    await expect(breaking.followEvents().next()).rejects.toBeInstanceOf(ApprovalsConnectionError);
  });

  it("returns when the server ends the stream", async () => {
    const events = clientOf(() => new Response(hello)).client.followEvents();
    expect(await events.next()).toMatchObject({ value: { event: "hello" } });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });
});

import type { AddressInfo } from "node:net";
import { createAdaptorServer, type HttpBindings, type ServerType } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { methods, SlackRefusal } from "./methods.js";
import { SlackPeople } from "./people.js";
import { Workspace } from "./workspace.js";

/**
 * What a call of a method meets instead of an answer. `silent` and `lost` never answer, and `broken` and `cut off` break
 * the connection. `lost` and `cut off` do the work before.
 */
export type Fault =
  | { error: string }
  | { status: number; body?: string; headers?: Record<string, string> }
  | { retryAfter: number }
  | "silent"
  | "lost"
  | "broken"
  | "cut off";

export interface FakeSlackOptions {
  token?: string;
  signingSecret?: string;
  team?: string;
  /** Decides timestamps of messages, the age of triggers and of signatures. */
  now?: () => Date;
}

/** Slack's Web API on this machine. Refuses whatever Slack would refuse. */
export interface FakeSlack {
  apiUrl: string;
  token: string;
  signingSecret: string;
  workspace: Workspace;
  /** What people do in it. */
  people: SlackPeople;
  /** Every call, in order. */
  calls: { method: string; body: Record<string, unknown> }[];
  fail(method: string, ...faults: Fault[]): void;
  /** Makes every call fail, or refuses connections, until the next `outage(null)`. */
  outage(fault: Fault | "refused" | null): Promise<void>;
  /** What happens elsewhere after Slack has done what it was asked to do, and before it answers. */
  beforeAnswer: ((method: string) => Promise<unknown>) | null;
  close(): Promise<void>;
}

export async function startFakeSlack(options: FakeSlackOptions = {}): Promise<FakeSlack> {
  const token = options.token ?? "xoxb-1-fake-token";
  const signingSecret = options.signingSecret ?? "8f742231b10e8888abcd99yyyzzz85a5";
  const now = options.now ?? (() => new Date());
  const workspace = new Workspace(options.team ?? "T000000001", now);
  const calls: FakeSlack["calls"] = [];
  const faults = new Map<string, Fault[]>();
  let present: Fault | null = null;

  const app = new Hono<{ Bindings: HttpBindings }>();
  app.post("/api/:method", async (c) => {
    const name = c.req.param("method");
    const body = await bodyOf(c.req.raw);
    calls.push({ method: name, body: body ?? {} });
    const fault = faults.get(name)?.shift() ?? present;
    if (fault === "silent") return never(c.req.raw.signal);
    if (fault === "broken") return breakOff(c.env.outgoing);
    if (fault !== null && typeof fault === "object") {
      if ("error" in fault) return c.json({ ok: false, error: fault.error });
      if ("status" in fault) return new Response(fault.body ?? "", fault);
      c.header("retry-after", String(fault.retryAfter));
      return c.json({ ok: false, error: "ratelimited" }, 429);
    }
    const answer = answerOf(c.req.header("authorization"), name, body);
    await fake.beforeAnswer?.(name);
    if (fault === "cut off") return breakOff(c.env.outgoing);
    return fault === "lost" ? never(c.req.raw.signal) : c.json(answer);
  });

  function answerOf(authorization: string | undefined, name: string, body: Record<string, unknown> | null) {
    try {
      if (authorization === undefined) throw new SlackRefusal("not_authed");
      if (authorization !== `Bearer ${token}`) throw new SlackRefusal("invalid_auth");
      if (body === null) throw new SlackRefusal("invalid_form_data");
      const method = methods[name];
      if (!method) throw new SlackRefusal("unknown_method", { req_method: name });
      return method(workspace, body);
    } catch (error) {
      if (error instanceof SlackRefusal) return error.answer;
      throw error;
    }
  }

  const server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const fake: FakeSlack = {
    ...{ apiUrl: `http://127.0.0.1:${port}/api/`, token, signingSecret, workspace, calls },
    people: new SlackPeople(workspace, signingSecret),
    beforeAnswer: null,
    fail: (method, ...more) => void faults.set(method, [...(faults.get(method) ?? []), ...more]),
    async outage(fault) {
      present = fault === "refused" ? null : fault;
      if (fault === "refused" && server.listening) await stop(server);
      if (fault !== "refused" && !server.listening) {
        await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
      }
    },
    close: () => stop(server),
  };
  return fake;
}

function stop(server: ServerType): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    if ("closeAllConnections" in server) server.closeAllConnections();
  });
}

function breakOff(outgoing: HttpBindings["outgoing"]): Response {
  outgoing.destroy();
  return RESPONSE_ALREADY_SENT;
}

/** Slack accepts forms and JSON, each by its name. */
async function bodyOf(request: Request): Promise<Record<string, unknown> | null> {
  const type = request.headers.get("content-type")?.split(";")[0];
  const text = await request.text();
  if (type === "application/x-www-form-urlencoded") return Object.fromEntries(new URLSearchParams(text));
  if (type === "application/json") return JSON.parse(text);
  return null;
}

function never(signal: AbortSignal): Promise<Response> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(new Response(null, { status: 499 })));
  });
}

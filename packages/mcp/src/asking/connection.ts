import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { CheckedServer } from "./server-options.js";

/** Answers a question that a server of a 2025 version sends while a call is open. */
export type PushedQuestion = (params: unknown, signal: AbortSignal) => Promise<PushedAnswer>;

export type PushedAnswer = {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, string | number | boolean | string[]>;
};

/** A connected client, for one call. */
export interface Lease {
  client: Client;
  /**
   * True for servers of the 2025 versions, which ask over the open connection. Only one call uses such a connection at
   * a time.
   */
  pushes: boolean;
  onPushedQuestion(answer: PushedQuestion): void;
  /** Gives the connection back; with `broken`, closes it. */
  release(options?: { broken?: boolean }): Promise<void>;
}

export interface Connections {
  lease(): Promise<Lease>;
  close(): Promise<void>;
}

interface Connected {
  client: Client;
  /** Answers the questions of the current call. */
  answer: PushedQuestion | undefined;
  closed: boolean;
}

const pingMs = 5_000;

const refuse: PushedQuestion = async () => ({ action: "cancel" });

/**
 * Connections to one server, opened on demand. Calls of a 2026-07-28 server share one connection. An older server
 * pushes questions without naming their call, so each of its open calls has its own connection.
 */
export function createConnections(server: CheckedServer): Connections {
  const idle: Connected[] = [];
  const open = new Set<Connected>();
  let shared: Connected | undefined;

  async function connect(): Promise<Connected> {
    const client = new Client(
      { name: "countersign", version: "1.0.0" },
      {
        capabilities: { elicitation: { form: {}, url: {} } },
        versionNegotiation: { mode: "auto" },
        inputRequired: { autoFulfill: false },
      },
    );
    const connected: Connected = { client, answer: undefined, closed: false };
    client.setRequestHandler("elicitation/create", (request, context) =>
      (connected.answer ?? refuse)(request.params, context.mcpReq.signal),
    );
    client.onclose = () => {
      connected.closed = true;
      open.delete(connected);
    };
    await client.connect(transportOf(server), { timeout: server.requestMs });
    open.add(connected);
    return connected;
  }

  /** Returns an idle connection that still works. The server may have ended its session, or have been restarted. */
  async function idleOne(): Promise<Connected | undefined> {
    for (let connected = idle.pop(); connected; connected = idle.pop()) {
      if (connected.closed) continue;
      const works = await connected.client.ping({ timeout: pingMs }).then(
        () => true,
        () => false,
      );
      if (works) return connected;
      await end(connected);
    }
    return undefined;
  }

  async function end(connected: Connected): Promise<void> {
    if (shared === connected) shared = undefined;
    open.delete(connected);
    await connected.client.close().catch(() => undefined);
  }

  return {
    async lease() {
      const connected = (shared?.closed ? undefined : shared) ?? (await idleOne()) ?? (await connect());
      const pushes = connected.client.getProtocolEra() !== "modern";
      if (!pushes) shared ??= connected;
      return {
        client: connected.client,
        pushes,
        onPushedQuestion(answer) {
          connected.answer = answer;
        },
        async release({ broken = false } = {}) {
          connected.answer = undefined;
          if (broken || (!pushes && shared !== connected)) await end(connected);
          else if (pushes) idle.push(connected);
        },
      };
    },
    async close() {
      await Promise.all([...open].map(end));
    },
  };
}

function transportOf({ target }: CheckedServer): Transport {
  if (target.kind === "own") return target.open();
  if (target.kind === "http") {
    return new StreamableHTTPClientTransport(target.url, { requestInit: { headers: target.headers } });
  }
  const { kind: _, ...parameters } = target;
  return new StdioClientTransport({ ...parameters, stderr: "ignore" });
}

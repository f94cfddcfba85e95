import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freshPgliteFolder } from "../databases.js";
import { eventually } from "../harness.js";
import { freePort } from "../http/free-port.mjs";

const main = fileURLToPath(new URL("../../../apps/demo/dist/bundle.js", import.meta.url));
const imports = ["clock-ahead.mjs", "crash-at.mjs"].flatMap((file) => [
  "--import",
  fileURLToPath(new URL(file, import.meta.url)),
]);

/** The real demo in a process of its own, which can be killed and started again on the same data. */
export async function demoInstallation(environment: Record<string, string> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), "countersign-demo-"));
  if (environment.DATABASE_URL === undefined) await freshPgliteFolder(join(dataDir, "pglite"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  let output = "";

  let startMs = 0;
  let aheadMs = 0;

  const installation = {
    url,
    /**
     * Starts the process; it dies at the named point if one is given, the first time or the given one. With `second`, its
     * clock begins there in a minute, and later starts keep that clock.
     */
    async start(crashPoint?: string, times = 1, { second }: { second?: number } = {}) {
      const begunAt = performance.now();
      if (second !== undefined) aheadMs += millisecondsUntil(second, Date.now() + aheadMs);
      child = spawn(process.execPath, [...imports, main], {
        env: {
          PATH: process.env.PATH,
          PORT: String(port),
          DATA_DIR: dataDir,
          CLOCK_AHEAD_MS: String(aheadMs),
          ...environment,
        },
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      });
      child.stdout?.on("data", (chunk) => (output += chunk));
      child.stderr?.on("data", (chunk) => (output += chunk));
      await eventually(
        async () => {
          if (child?.exitCode !== null) throw new Error(`The demo ended:\n${output}`);
          const response = await fetch(`${url}/health`).catch(() => undefined);
          return response?.ok ? true : undefined;
        },
        "the demo answers",
        60_000,
      );
      startMs = performance.now() - begunAt;
      if (crashPoint !== undefined) await installation.dieAt(crashPoint, times);
    },
    /** Starts the process shortly before a minute ends, when the relay runs, if it starts as fast as the last time. */
    startBeforeMinute: () =>
      installation.start(undefined, 1, { second: Math.max(0, 57 - (1.5 * startMs) / 1000) }),
    /** Makes the process die at the named point, when it comes there for the given time. */
    async dieAt(point: string, times = 1) {
      if (!child?.send({ point, times })) throw new Error("The demo does not run");
      await once(child, "message");
    },
    /** What the process has written so far. */
    output: () => output,
    /** Resolves when the process has written something that matches. */
    logged: (pattern: RegExp) =>
      eventually(() => (pattern.test(output) ? true : undefined), `the demo logs ${pattern}`),
    /** Resolves when the process is gone by its own crash point. */
    async crashed() {
      if (child?.signalCode === null && child.exitCode === null) await once(child, "exit");
      if (child?.signalCode !== "SIGKILL") throw new Error(`The demo ended otherwise:\n${output}`);
    },
    async kill() {
      if (!child) return;
      child.kill("SIGKILL");
      await installation.crashed();
    },
    async call(token: string, path: string, body?: unknown) {
      const response = await fetch(`${url}/api${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer demo-${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Json };
    },
    async say(message: string): Promise<{ threadId: string }> {
      const { body } = await installation.call("requester", "/chat", { message });
      return { threadId: String(body.threadId) };
    },
    /** The first call that waits, of one conversation if it is given. */
    pending: (threadId?: string): Promise<Json> =>
      eventually(async () => {
        const query = threadId === undefined ? "" : `&threadId=${threadId}`;
        const { body } = await installation.call("finance", `/approvals?status=pending${query}`);
        return body.items?.[0];
      }, "a pending approval"),
    threadStatus: async (threadId: string) =>
      (await installation.call("requester", `/threads/${threadId}`)).body.status,
    threadDone: (threadId: string) =>
      eventually(
        async () => ((await installation.threadStatus(threadId)) === "done" ? true : undefined),
        "the thread is done",
        90_000,
      ),
    async effects(): Promise<Json[]> {
      return (await installation.call("finance", "/demo/effects")).body.items ?? [];
    },
    async [Symbol.asyncDispose]() {
      if (child && child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return installation;
}

const minute = 60_000;

/** Until a clock that says `now` comes to this second of a minute. */
const millisecondsUntil = (second: number, now: number) => (second * 1000 - (now % minute) + minute) % minute;

interface Json {
  id: string;
  status: string;
  digest: string;
  threadId: string;
  items?: Json[];
  [key: string]: unknown;
}

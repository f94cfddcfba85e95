import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../support/http/free-port.mjs";
import { serveModel } from "./model.js";
import { until } from "./until.js";

const engineScript = fileURLToPath(new URL("../serve-local-engine.mjs", import.meta.url));
const demoDist = new URL("./", import.meta.resolve("@countersign/demo"));

/** How long a process may take until it answers. */
const startMs = 120_000;

/** A child process that answers over HTTP. */
export interface Served extends AsyncDisposable {
  url: string;
  /** Kills the process as a crash would, and starts it again on the same data. */
  restart(): Promise<void>;
}

/** Starts the local engine in a process of its own, for a demo and a probe at these ports. */
export const serveLocalEngine = (ports: { demo: number; probe: number }): Promise<Served> =>
  serveScript(engineScript, {
    isUp: (url) => `${url}/v1/events/none/runs`,
    environment: {
      DEMO_ORIGIN: `http://127.0.0.1:${ports.demo}`,
      PROBE_ORIGIN: `http://127.0.0.1:${ports.probe}`,
    },
  });

/**
 * Starts the demo on an empty database, with this engine. Its small refunds wait for a few seconds only, and the model of
 * this program answers some messages in place of the demo's own.
 */
export async function serveDemo(engineUrl: string, wantedPort?: number): Promise<Served> {
  const port = wantedPort ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), "countersign-conformance-"));
  const policyFile = join(folder, "policy.yaml");
  const policy = readFileSync(new URL("../policy.yaml", demoDist), "utf8");
  writeFileSync(policyFile, policy + shortRefunds);
  const model = await serveModel(`http://127.0.0.1:${port}`);
  const end = async () => {
    await model[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const demo = await serveScript(fileURLToPath(new URL("main.js", demoDist)), {
      isUp: (url) => `${url}/health`,
      environment: {
        DATA_DIR: join(folder, "data"),
        POLICY_FILE: policyFile,
        INNGEST_BASE_URL: engineUrl,
        OPENAI_API_KEY: "none",
        OPENAI_BASE_URL: model.url,
      },
      output: /Registered with Inngest/,
      port,
    });
    return {
      ...demo,
      [Symbol.asyncDispose]: async () => {
        await demo[Symbol.asyncDispose]();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

const shortRefunds = `
  - id: short-refunds
    tools: issue_refund
    verdict: ask
    when: input.amount < 10
    timeout: 3s
`;

async function serveScript(
  script: string,
  options: {
    isUp: (url: string) => string;
    environment?: Record<string, string>;
    output?: RegExp;
    port?: number;
  },
): Promise<Served> {
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess;
  const start = async () => {
    let output = "";
    child = spawn(process.execPath, [script], {
      env: { PATH: process.env.PATH, ...inngestKeys(), PORT: String(port), ...options.environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
    await until(
      async () => {
        if (child.exitCode !== null) throw new Error(`${script} ended:\n${output}`);
        if (options.output && !options.output.test(output)) return undefined;
        const response = await fetch(options.isUp(url)).catch(() => undefined);
        return response && response.status < 500 ? true : undefined;
      },
      { what: `${script} answers; it said:\n${output}`, patienceMs: startMs },
    );
  };
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  try {
    await start();
  } catch (error) {
    await kill();
    throw error;
  }
  return {
    url,
    async restart() {
      await kill();
      await start();
    },
    [Symbol.asyncDispose]: kill,
  };
}

/** The keys and settings with which apps and servers of Inngest find and trust each other. */
function inngestKeys(): Record<string, string> {
  const { INNGEST_SIGNING_KEY, INNGEST_EVENT_KEY, INNGEST_DEV } = process.env;
  return {
    ...(INNGEST_SIGNING_KEY && { INNGEST_SIGNING_KEY }),
    ...(INNGEST_EVENT_KEY && { INNGEST_EVENT_KEY }),
    ...(INNGEST_DEV && { INNGEST_DEV }),
  };
}

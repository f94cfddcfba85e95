import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../support/harness.js";
import { freePort } from "../support/http/free-port.mjs";

const page = readFileSync(new URL("../../docs/tutorial.md", import.meta.url), "utf8");
/** Inside the tests' own package, so that the files resolve the built packages as in any project. */
const folder = fileURLToPath(new URL("./.tutorial", import.meta.url));
/** Where the shop runs and keeps its data: an embedded database begins with a thousand files, so in memory if possible. */
const data = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "countersign-tutorial-"));
const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
/** The events that the page has the reader type, in its order. */
const events = [...page.matchAll(/^chat\/asked .*$/gm)].map(([event]) => event);
const command = fileURLToPath(new URL("../../packages/countersign/bin/countersign.js", import.meta.url));

let port: number;
let inboxPort: number;
let enginePort: number;
let shop: ChildProcess;
let printed = "";

async function write(name: string, code: string | undefined): Promise<void> {
  // Before esbuild, which writes 3000 as 3e3.
  const text = (code ?? "").replaceAll("3000", String(port));
  const { code: script } = await transform(text, { loader: "ts", target: "node20", format: "esm" });
  writeFileSync(join(folder, name), script);
}

function run(...program: string[]): ChildProcess {
  const child = spawn(process.execPath, program, { cwd: data, stdio: ["pipe", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (data) => {
      printed += data;
    });
  }
  return child;
}

async function start(): Promise<void> {
  const ports = ["--port", String(inboxPort), "--engine-port", String(enginePort)];
  const before = printed.length;
  shop = run(command, "dev", join(folder, "shop.mjs"), ...ports);
  await eventually(
    async () => printed.slice(before).includes("Type an event to send it") || undefined,
    "the shop serves",
    150_000,
  );
}

async function kill(): Promise<void> {
  const gone = once(shop, "exit");
  shop.kill("SIGKILL");
  await gone;
}

const api = async (path: string, init?: RequestInit) =>
  (await fetch(`http://127.0.0.1:${inboxPort}/api${path}`, init)).json();

/** Types the page's next event, and waits until its call is pending. */
async function say(): Promise<{ id: string; digest: string; input: object }> {
  shop.stdin?.write(`${events.shift()}\n`);
  return pendingCall();
}

const pendingCall = () =>
  eventually(async () => (await api("/approvals?status=pending")).items[0], `a call is pending: ${printed}`);

const decide = (call: { id: string; digest: string }, decision: object) =>
  api(`/approvals/${call.id}/decision`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: `http://127.0.0.1:${inboxPort}` },
    body: JSON.stringify({ digest: call.digest, ...decision }),
  });

const isPrinted = (text: string) =>
  eventually(() => printed.includes(text) || undefined, `"${text}" is printed: ${printed}`);

beforeAll(async () => {
  port = await freePort();
  inboxPort = await freePort();
  enginePort = await freePort();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  await write(
    "shop.mjs",
    blocks.find((code) => code.includes("approvalsApp")),
  );
  await write(
    "refunds.mjs",
    blocks.find((code) => code.includes("createTestHarness")),
  );
});
afterAll(async () => {
  if (shop?.exitCode === null) await kill();
  rmSync(folder, { recursive: true, force: true });
  rmSync(data, { recursive: true, force: true });
});

it("the tutorial's shop does what the page says, step by step", async () => {
  expect(events).toHaveLength(4);
  await start();
  await decide(await say(), { type: "approve" });
  await isPrinted("REFUNDED 20 EUR for A-1001");
  await isPrinted("The tool issue_refund answered: ");

  const large = await say();
  await decide(large, { type: "edit", input: { ...large.input, amount: 80 } });
  await isPrinted("REFUNDED 80 EUR for A-1002");
  await isPrinted("A person approved this call with changed arguments");
  expect(printed).not.toContain("REFUNDED 500");

  await decide(await say(), { type: "deny", reason: "It was worn" });
  await isPrinted("It was worn");
  expect(printed).not.toContain("REFUNDED 90");

  await say();
  await kill();
  await start();
  await decide(await pendingCall(), { type: "approve" });
  await isPrinted("REFUNDED 30 EUR for A-1004");
  expect(printed.split("REFUNDED 30")).toHaveLength(2);
});

it("the tutorial's test passes", async () => {
  printed = "";
  const [code] = await once(run(join(folder, "refunds.mjs")), "exit");
  expect(printed).toContain("Only finance can approve a refund");
  expect(code, printed).toBe(0);
});

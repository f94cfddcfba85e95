import type { Approval } from "countersign";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { runCli } from "../../packages/countersign/src/cli/run-cli.js";
import { openApiWorld } from "../support/api-world.js";
import { giveBudget, hundred, proposeOne } from "../support/budgets.js";
import { hostileCount, lines, recordedSum } from "../support/counts.js";
import { listenOn } from "../support/http/listen-on.js";
import { recordedPreview } from "../support/previews.js";
import { proposeCall } from "../support/proposals.js";

let world: Awaited<ReturnType<typeof openApiWorld>>;
let server: Awaited<ReturnType<typeof listenOn>>;
let call: Approval;

beforeAll(async () => {
  world = await openApiWorld();
  server = await listenOn(async (request) => world.api.fetch(request));
});
afterAll(async () => {
  server.close();
  await world[Symbol.asyncDispose]();
});
beforeEach(async () => {
  vi.stubEnv("COUNTERSIGN_TOKEN", "finance");
  const [proposed] = await proposeCall(world.store, {
    approvers: { roles: ["finance"], ids: [] },
    input: { to: "ada\u202Eevil", amount: 80 },
  });
  if (!proposed) throw new Error("unreachable");
  call = proposed;
});
afterEach(() => vi.unstubAllEnvs());

/** Runs a command. `answer` returns what the person at the terminal types; without it, there is no terminal. */
async function run(argv: string[], answer?: (output: string) => string) {
  let out = "";
  let err = "";
  const code = await runCli(["approvals", ...argv, "--url", server.url], {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    ...(answer && { ask: async () => answer(err) }),
  });
  return { code, out, err };
}

const statusOf = async () => (await world.store.getApproval("acme", call.id))?.status;

it("approvals list and show print a pending call, with direction characters escaped", async () => {
  const list = await run(["list"]);
  expect([list.code, list.out]).toEqual([
    0,
    expect.stringContaining(`${call.id} pending medium refund: Refund A-1`),
  ]);
  const show = await run(["show", call.id]);
  expect(show.out).toContain(`digest: ${call.digest}`);
  expect(show.out).toContain('"to": "ada⟨U+202E');
  expect(show.out).not.toContain("\u202E");
  expect(show.out).not.toContain("what would change");
  const json = await run(["show", call.id, "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({ id: call.id, digest: call.digest });
});

it("approve without a terminal requires the digest of the call", async () => {
  expect(await run(["approve", call.id])).toMatchObject({
    code: 2,
    err: expect.stringContaining("--digest"),
  });
  const wrong = await run(["approve", call.id, "--digest", "0".repeat(64)]);
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining("digest_mismatch") });
  expect(await statusOf()).toBe("pending");
  const right = await run(["approve", call.id, "--digest", call.digest]);
  expect(right).toMatchObject({ code: 0, out: `${call.id}: approved\n` });
});

it("approve shows the call before it asks, and decides only after yes", async () => {
  let output = "";
  const no = await run(["approve", call.id], (text) => {
    output = text;
    return "no";
  });
  expect(no).toMatchObject({ code: 1, err: expect.stringContaining("No decision was recorded") });
  expect(output).toContain('"amount": 80');
  expect(await statusOf()).toBe("pending");
  expect((await run(["approve", call.id], () => "yes")).code).toBe(0);
  expect(await statusOf()).toBe("approved");
});

it("deny records its reason, and a later approve fails because the call is decided", async () => {
  expect(await run(["deny", call.id, "--digest", call.digest, "--reason", "Wrong order"])).toMatchObject({
    code: 0,
    out: `${call.id}: denied\n`,
  });
  expect((await world.store.getApproval("acme", call.id))?.decision).toMatchObject({ reason: "Wrong order" });
  const late = await run(["approve", call.id, "--digest", call.digest]);
  expect(late).toMatchObject({ code: 1, err: expect.stringMatching(/already_decided|decision/) });
});

it("the commands fail for a stranger, without a token, with a bad address and without a server", async () => {
  vi.stubEnv("COUNTERSIGN_TOKEN", "stranger");
  expect(await run(["show", call.id])).toMatchObject({ code: 1, err: expect.stringContaining("not_found") });
  vi.stubEnv("COUNTERSIGN_TOKEN", "");
  expect(await run(["list"])).toMatchObject({ code: 2, err: expect.stringContaining("COUNTERSIGN_TOKEN") });
  vi.stubEnv("COUNTERSIGN_TOKEN", "finance");
  let err = "";
  const io = { out: () => {}, err: (text: string) => (err += text) };
  expect(await runCli(["approvals", "list", "--url", "desk"], io)).toBe(2);
  expect(await runCli(["approvals", "list", "--url", "http://127.0.0.1:1"], io)).toBe(2);
  expect(err).toContain("no approvals API responds at http://127.0.0.1:1");
});

it("approvals show prints all effects of a call in full, with hidden characters named", async () => {
  const long = "x".repeat(400);
  const effects = [
    { target: "note", before: "a\u001b[2J", after: `b\nc ${long}` },
    ...Array.from({ length: 40 }, (_, at) => ({ target: `row ${at}` })),
  ];
  const [previewed] = await proposeCall(world.store, {
    approvers: { roles: ["finance"], ids: [] },
    terms: { preview: recordedPreview(effects, "30m") },
  });
  const { out } = await run(["show", previewed?.id ?? ""]);
  const [, shown] = out.split("  what would change:\n");
  expect(shown?.split("\n").slice(0, 2)).toEqual([`    note: “a⟨U+001B⟩[2J” → “b⏎c ${long}”`, "    row 0"]);
  expect(shown).toMatch(/ {4}row 39\n {4}It can be taken back within 30m\.\n$/);
  expect(out).not.toContain("\u001b");
});

it("approvals show says why a call is asked that does not fit into a budget", async () => {
  await giveBudget(world.store, hundred);
  const asked = await proposeOne(world.store, 800, { announce: true });
  const { out } = await run(["show", asked.id]);
  expect(out).toContain(
    "  budget: A grant covers such calls, but 0 of 100 EUR are used, and this call asks for 800 EUR.\n",
  );
});

it("approvals show prints what limits over time counted, with hidden characters named", async () => {
  const [counted] = await proposeCall(world.store, {
    approvers: { roles: ["finance"], ids: [] },
    terms: { counts: [recordedSum, hostileCount] },
  });
  const { out } = await run(["show", counted?.id ?? ""]);
  expect(out).toContain(`  counted over time: ${lines.sum}\n  counted over time: ${lines.hostile}\n`);
  expect(out).not.toContain("\u202e");
});

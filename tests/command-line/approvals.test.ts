import type { Approval } from "countersign";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openApiWorld } from "../support/api-world.js";
import { giveBudget, hundred, proposeOne } from "../support/budgets.js";
import { countersign } from "../support/command-line.js";
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
  const [proposed] = await proposeCall(world.store, {
    approvers: { roles: ["finance"], ids: [] },
    input: { to: "ada\u202Eevil", amount: 80 },
  });
  if (!proposed) throw new Error("unreachable");
  call = proposed;
});

/** Runs a command with this token. `answer` returns what the person at the terminal types; without it, there is no terminal. */
const run = (argv: string[], answer?: (shown: string) => string, COUNTERSIGN_TOKEN = "finance") =>
  countersign(["approvals", ...argv, "--url", server.url], { env: { COUNTERSIGN_TOKEN }, answer });

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

it.each([
  ["list"],
  ["show", "apr_1"],
  ["approve", "apr_1", "--digest", "d"],
  ["undo", "apr_1", "--digest", "d"],
])("approvals %s without a URL names the option and the variable", async (...argv) => {
  const env = { COUNTERSIGN_TOKEN: "finance", COUNTERSIGN_URL: "" };
  expect(await countersign(["approvals", ...argv], { env })).toEqual({
    code: 2,
    out: "",
    err: "error: set --url, or COUNTERSIGN_URL, to the base URL of the API, such as https://desk.example.com/api\n",
  });
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
  const show = await run(["show", call.id], undefined, "stranger");
  expect(show).toMatchObject({ code: 1, err: expect.stringContaining("not_found") });
  const anonymous = await run(["list"], undefined, "");
  expect(anonymous).toMatchObject({ code: 2, err: expect.stringContaining("COUNTERSIGN_TOKEN") });
  const at = (url: string) =>
    countersign(["approvals", "list", "--url", url], { env: { COUNTERSIGN_TOKEN: "finance" } });
  expect((await at("desk")).code).toBe(2);
  expect(await at("http://127.0.0.1:1")).toMatchObject({
    code: 2,
    err: expect.stringContaining("no approvals API responds at http://127.0.0.1:1"),
  });
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
  expect(shown).toMatch(/ {4}row 39\n {4}This can be undone within 30 minutes\.\n$/);
  expect(out).not.toContain("\u001b");
});

it("approvals show says why a call is asked that does not fit into a budget", async () => {
  await giveBudget(world.store, hundred);
  const asked = await proposeOne(world.store, 800, { announce: true });
  const { out } = await run(["show", asked.id]);
  expect(out).toContain(
    "  budget: A standing permission covers this kind, but 0 of 100 EUR are used, and this one asks for 800 EUR.\n",
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

describe("approvals undo", () => {
  /** A call that has run, and may be undone for ten minutes unless its terms say otherwise. */
  async function ran(terms: Partial<Approval["terms"]> = {}): Promise<Approval> {
    const [proposed] = await proposeCall(world.store, {
      ...{ verdict: "notify", approvers: { roles: ["finance"], ids: [] } },
      terms: { undoable: true, reversible: "10m", ...terms },
    });
    if (!proposed) throw new Error("unreachable");
    await world.store.claim(proposed.id, "once", () => undefined);
    await world.store.finish(proposed.id, { status: "executed", outcomeJson: "{}" });
    return proposed;
  }
  const undoOf = async ({ id }: Approval) => {
    const { undoId } = (await world.store.getApproval("acme", id)) ?? {};
    return undoId ? await world.store.getApproval("acme", undoId) : undefined;
  };

  it("shows the calls with the time that is left, and asks for their undos only after yes", async () => {
    const calls = [await ran(), await ran()];
    let output = "";
    const say = (answer: string) => (text: string) => {
      output = text;
      return answer;
    };
    const ids = calls.map(({ id }) => id);
    expect(await run(["undo", ...ids], say("no"))).toMatchObject({
      code: 1,
      err: expect.stringContaining("Nothing was undone"),
    });
    for (const call of calls) {
      expect(output).toContain(`digest: ${call.digest}`);
      expect(await undoOf(call)).toBeUndefined();
    }
    expect(output).toMatch(/undo: possible until 20\d\d-/);
    const { code, out } = await run(["undo", ...ids, "--reason", "Wrong order"], say("yes"));
    const undos = await Promise.all(calls.map(undoOf));
    expect([code, out]).toEqual([0, ids.map((id, at) => `${id}: undo ${undos[at]?.id} approved\n`).join("")]);
    expect(undos[0]).toMatchObject({ terms: { undoes: { askedBy: "finance", reason: "Wrong order" } } });
    expect((await run(["show", undos[0]?.id ?? ""])).out).toContain(`  undoes: ${ids[0]}\n`);
  });

  it("names the calls that are left, and fails", async () => {
    const [call, final] = [await ran(), await ran({ undoable: false })];
    const digests = ["--digest", call.digest, final.digest];
    const { code, out } = await run(["undo", call.id, final.id, ...digests]);
    expect(code).toBe(1);
    expect(out).toContain(`${call.id}: undo ${(await undoOf(call))?.id} approved\n`);
    expect(out).toContain(`${final.id}: left. Its tool has no undo. Take it back by hand (not_undoable)\n`);
  });

  it("needs a digest for each call where there is no terminal", async () => {
    const [call, other] = [await ran(), await ran()];
    expect(await run(["undo", call.id])).toMatchObject({ code: 2, err: expect.stringContaining("--digest") });
    expect(await run(["undo", call.id, other.id, "--digest", call.digest])).toMatchObject({
      code: 2,
      err: expect.stringContaining("there are 2 approvals and 1 digests; give one for each"),
    });
    expect(await undoOf(call)).toBeUndefined();
  });
});

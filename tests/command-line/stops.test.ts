import { userInfo } from "node:os";
import { allow, definePolicy } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore, wholeLog } from "../support/audit-log.js";
import { countersign, linesOf } from "../support/command-line.js";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";
import { stopCalls } from "../support/stops.js";
import type { Store } from "../support/store.js";

describe("countersign stop, release and stops", () => {
  let database: Awaited<ReturnType<typeof freshPostgres>>;
  let store: Store;

  beforeAll(async () => {
    database = await freshPostgres(3);
    store = await openStore(database);
    await proposeCall(store);
  });
  afterAll(() => database[Symbol.asyncDispose]());

  const run = (...argv: string[]) => countersign([...argv, "--database-url", database.url]);
  const release = (id: string, reason = "Over") => run("release", id, "--reason", reason);
  const idIn = (out: string) => /stp_[0-9a-f-]{36}/.exec(out)?.[0] ?? "";

  it("stop all calls of all tenants unless one is named, and say so in capitals", async () => {
    const stopped = await run("stop", "--reason", "A key has leaked");
    const id = idIn(stopped.out);
    expect(stopped).toEqual({
      code: 0,
      err: "",
      out: `STOPPED: ALL CALLS of ALL TENANTS\nRelease: npx countersign release ${id} --database-url "$DATABASE_URL" --reason "…"\n`,
    });
    expect(await run("stops")).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        new RegExp(`^${id} "\\*" of ALL TENANTS, since .* by ".*": "A key has leaked"\n$`),
      ),
    });
    const [entry] = await wholeLog(store, "");
    expect(entry).toMatchObject({
      type: "stop.engaged",
      actorId: userInfo().username,
      data: { stopId: id, tool: "*", reason: "A key has leaked", via: "command line" },
    });
    const released = await release(id, "Replaced");
    expect(released).toEqual({ code: 0, err: "", out: 'Released: calls of "*" of ALL TENANTS\n' });
    expect(await run("stops")).toMatchObject({ out: "No stops are engaged.\n" });
    const again = await release(id, "Again");
    expect(again).toMatchObject({ code: 0, out: `"${userInfo().username}" has already released it.\n` });
    const verified = await run("audit", "verify");
    expect(verified).toMatchObject({ code: 0, out: expect.stringContaining('"": 2 entries, all in order') });
  });

  it("stop some tools of one tenant, and warn of an unknown tenant", async () => {
    const stop = (tenant: string) =>
      run("stop", "--tenant", tenant, ...["--tool", "ref*", "--reason", "Why", "--by", "ada", "--json"]);
    const known = await stop("acme");
    expect(known).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(known.out)).toMatchObject({ tenantId: "acme", tool: "ref*", engagedBy: "ada" });
    const unknown = await stop("acmee");
    expect(unknown).toMatchObject({
      code: 0,
      err: expect.stringContaining('the tenant "acmee" has made no calls'),
    });
    const listed = await run("stops", "--tenant", "acme", "--json");
    expect(linesOf(listed.out)).toMatchObject([{ engagedBy: "ada" }]);
    for (const { out } of [known, unknown]) {
      await release(JSON.parse(out).id);
    }
    const all = await run("stops", "--tenant", "acme", "--all");
    expect(all.out).toMatch(/"ref\*" of the tenant "acme".*\(released .* by ".*": "Over"\)/);
  });

  it("warn if a stop matches no tool of the last 30 days, and engage it", async () => {
    const stop = (tool: string) => run("stop", "--tool", tool, "--reason", "Why");
    expect(await stop("refund")).toMatchObject({ code: 0, err: "" });
    expect(await stop("re*")).toMatchObject({ code: 0, err: "" });
    const typo = await stop("REFUND");
    expect(typo).toMatchObject({
      code: 0,
      err: expect.stringContaining('"REFUND" matches no tool'),
      out: expect.stringContaining("STOPPED"),
    });
    expect(typo.err).toContain('did you mean "refund"?');
    const unlike = await stop("x*");
    expect(unlike.err).toContain("in the last 30 days. Names are");
    const engaged = await store.listStops({ tenantId: null, engaged: true, limit: 10 });
    expect(engaged.map(({ tool }) => tool)).toEqual(["x*", "REFUND", "re*", "refund"]);
    for (const { id } of engaged) await release(id);
    await database.admin`update countersign.approvals set created_at = created_at - interval '31 days'`;
    const old = await stop("refund");
    expect(old.err).toContain('"refund" matches no tool');
    await release(idIn(old.out));
  });

  it("name the other stops that still cover the tool after a release", async () => {
    const [one, other] = [await stopCalls(store, "refund"), await stopCalls(store, "*", null)];
    const { code, err } = await release(one.id);
    expect(code).toBe(0);
    expect(err).toContain(`still stopped: ${other.id} "*" of ALL TENANTS`);
    await release(other.id);
  });

  it("print reasons and names without control characters and reversals of direction", async () => {
    const hostile = "\u001b[2J \u009b2J \u0007\b\u007f\r\n\u2028 \u202egone";
    const by = { id: `mallory${hostile}`, roles: [] };
    const stop = await store.engageStop({ tenantId: "acme", tool: "x", reason: hostile, by });
    const { id } = stop;
    const released = await run("release", id, "--reason", hostile, "--by", by.id);
    const again = await release(id, "Again");
    const listed = await run("stops", "--all");
    const line = listed.out.split("\n").find((text) => text.startsWith(id));
    expect(line).toMatch(/"mallory⟨U\+001B⟩.*gone": "⟨U\+001B⟩.*\(released .*gone": "⟨U\+001B⟩.*gone"\)$/);
    for (const { code, out, err } of [released, again, listed]) {
      expect(code).toBe(0);
      expect(`${out}${err}`.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }
  });

  it("exit with 1 if the stop to release is unknown", async () => {
    const { code, out, err } = await release("stp_none");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("Unknown stop stp_none");
  });
});

it("a stop from the command line holds in a running app within a second", async () => {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  const call = { name: "refund", input: { id: "A-1", amount: 80 } };
  await using harness = await openHarness({
    database,
    tools,
    policy: definePolicy({ tools: { "*": allow() } }),
    reply: inTurns({ toolCalls: [call] }),
  });
  await harness.ended((await harness.say("Refund A-1")).runId);
  const before = effects.length;
  expect(before).toBeGreaterThan(0);
  const { code } = await countersign([
    "stop",
    "--database-url",
    database.url,
    "--reason",
    "A key has leaked",
  ]);
  expect(code).toBe(0);
  await harness.clock.advance("1s");
  await harness.ended((await harness.say("Refund A-1 once more")).runId);
  expect(effects).toHaveLength(before);
  expect(JSON.stringify(harness.model.requests.at(-1)?.body)).toContain("An operator has stopped calls");
});

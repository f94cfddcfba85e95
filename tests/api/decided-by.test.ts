import type { Approval, Principal } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApiWorld } from "../support/api-world.js";
import { proposeCall } from "../support/proposals.js";

const person = (id: string, tenantId = "acme"): Principal => ({ id, tenantId, roles: [id] });
const [finance, lead, elsewhere] = [person("finance"), person("lead"), person("finance", "other")];

describe("the calls that a person has decided", () => {
  let world: Awaited<ReturnType<typeof openApiWorld>>;
  /** The calls by what is special about each. */
  const ids: Record<string, string> = {};
  /** When the oldest decision was made. */
  const yesterday = new Date(Date.now() - 86_400_000);
  /** When everything but the oldest decision was made. */
  const today = new Date(Date.now() - 3_600_000).toISOString();
  beforeAll(async () => {
    world = await openApiWorld();
    const { store } = world;
    const propose = async (name: string, options: Parameters<typeof proposeCall>[1] = {}) => {
      const approvers = { roles: ["finance", "lead"], ids: [] };
      const [call] = await proposeCall(store, { approvers, ...options });
      if (!call) throw new Error("unreachable");
      ids[name] = call.id;
      return call;
    };
    const decide = async (
      { id, digest }: Approval,
      principal: Principal,
      more: { type?: "approve" | "deny"; holdMs?: number } = {},
    ) => {
      const decision = { approvalId: id, digest, principal, type: "approve" as const, reason: null, ...more };
      expect(await store.decide(decision)).toMatchObject({ outcome: expect.stringMatching(/decided|voted/) });
    };
    const forTwo = { terms: { quorum: 2 } };
    await decide(await propose("approved"), finance);
    await decide(await propose("denied"), finance, { type: "deny" });
    const byBoth = await propose("voted, and decided by the lead", forTwo);
    await decide(byBoth, finance);
    await decide(byBoth, lead);
    const undone = await propose("vote taken back", forTwo);
    await decide(undone, finance);
    expect(await store.takeBack({ approvalId: undone.id, principal: finance })).toMatchObject({
      outcome: "taken_back",
    });
    await decide(undone, lead, { type: "deny" });
    await decide(await propose("voted, and still open", forTwo), finance);
    await decide(await propose("held"), finance, { holdMs: 10_000 });
    await decide(await propose("by the lead alone"), lead);
    await propose("undecided");
    await propose("by the policy", { verdict: "notify" });
    await decide(await propose("in another tenant", { tenantId: "other" }), elsewhere);
    const granted = await propose("by a grant of finance");
    await decide(granted, finance);
    await world.database.admin`update countersign.approvals set grant_id = 'grant' where id = ${granted.id}`;
    const old = await propose("yesterday");
    await decide(old, finance);
    await world.database.admin`
      update countersign.approvals set decided_at = ${yesterday} where id = ${old.id}`;
  });
  afterAll(() => world[Symbol.asyncDispose]());

  async function get<T>(reader: string, path: string): Promise<T> {
    const response = await world.request(reader, path);
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()) as T;
  }
  async function namesFor(reader: string, query: string) {
    const names = Object.fromEntries(Object.entries(ids).map(([name, id]) => [id, name]));
    const { items } = await get<{ items: { id: string }[] }>(
      reader,
      `/approvals?limit=200&decidedBy=me${query}`,
    );
    return items.map(({ id }) => names[id]).sort();
  }
  const after = `decidedAfter=${today}`;

  it("are those in which they decided or voted, once the call is decided", async () => {
    const both = "voted, and decided by the lead";
    expect(await namesFor("finance", `&${after}`)).toEqual(["approved", "denied", both]);
    expect(await namesFor("lead", `&${after}`)).toEqual(["by the lead alone", "vote taken back", both]);
    expect(await namesFor("requester", `&${after}`)).toEqual([]);
    expect(await namesFor("stranger", "")).toEqual([]);
  });

  it("go back as far as the reader asks", async () => {
    const all = ["approved", "denied", "voted, and decided by the lead", "yesterday"];
    expect(await namesFor("finance", "")).toEqual(all);
    expect(await namesFor("finance", `&decidedAfter=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual(
      [],
    );
    // Postgres reads neither year as JavaScript writes it.
    expect(await namesFor("finance", "&decidedAfter=0000-01-01T00:00:00Z")).toEqual(all);
    expect(await namesFor("finance", "&decidedAfter=9999-12-31T23:59:59-14:00")).toEqual([]);
  });

  it("end where the reader asks, before the time that they name", async () => {
    const before = (time: Date | string) =>
      `&decidedBefore=${encodeURIComponent(typeof time === "string" ? time : time.toISOString())}`;
    const next = new Date(yesterday.getTime() + 1);
    expect(await namesFor("finance", before(today))).toEqual(["yesterday"]);
    expect(await namesFor("finance", before(next))).toEqual(["yesterday"]);
    expect(await namesFor("finance", before(yesterday))).toEqual([]);
    const day = new Date(yesterday.getTime() - 1).toISOString();
    expect(await namesFor("finance", `&decidedAfter=${day}${before(next)}`)).toEqual(["yesterday"]);
    expect(await namesFor("finance", `&${after}${before(next)}`)).toEqual([]);
    const all = await namesFor("finance", "");
    expect(await namesFor("finance", before("9999-12-31T23:59:59+14:00"))).toEqual(all);
    expect(await namesFor("finance", before("0000-01-01T00:00:00Z"))).toEqual([]);
  });

  it("are counted with the lists of the person who asks for it", async () => {
    const counted = (reader: string, query: string) =>
      get<{ decidedByYou?: number }>(reader, `/approvals/counts${query}`);
    for (const [reader, count] of [
      ["finance", 3],
      ["lead", 3],
      ["requester", 0],
      ["stranger", 0],
    ] as const) {
      expect([reader, await counted(reader, `?${after}`)]).toMatchObject([reader, { decidedByYou: count }]);
    }
    expect(await counted("finance", "")).not.toHaveProperty("decidedByYou");
  });

  it("are not asked for with what makes no sense", async () => {
    for (const path of [
      "/approvals?decidedBy=lead",
      "/approvals?decidedAfter=yesterday",
      "/approvals?decidedBefore=2026-11-27",
      "/approvals/facets?decidedBefore=2026-02-30T00:00:00Z",
      "/approvals/counts?decidedAfter=2026-02-30T00:00:00Z",
    ]) {
      expect([path, (await world.request("finance", path)).status]).toEqual([path, 400]);
    }
  });
});

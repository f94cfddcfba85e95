import type { Approval, Principal } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApiWorld } from "../support/api-world.js";
import { proposeCall } from "../support/proposals.js";

const roles = (...names: string[]) => ({ roles: names, ids: [] });
const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const lists = ["for_you", "snoozed", "waiting", "asked", "uncertain"] as const;
const readers = ["finance", "lead", "requester", "auditor", "stranger"];

interface Row {
  id: string;
  lists: string[];
  input: unknown;
  valuesOmitted: boolean;
}

describe("the lists of a person", () => {
  let world: Awaited<ReturnType<typeof openApiWorld>>;
  /** The calls by what is special about each. */
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    world = await openApiWorld();
    const { store } = world;
    const propose = async (name: string, options: Parameters<typeof proposeCall>[1] = {}) => {
      const [call] = await proposeCall(store, {
        approvers: roles("finance"),
        requesterId: "requester",
        ...options,
      });
      if (!call) throw new Error("unreachable");
      ids[name] = call.id;
      return call;
    };
    const decide = ({ id, digest }: Approval, more: { type?: "approve" | "deny"; holdMs?: number } = {}) =>
      store.decide({ approvalId: id, digest, type: "approve", reason: null, principal: finance, ...more });
    await propose("for finance");
    await propose("for all", { approvers: roles() });
    await propose("for the lead", { approvers: roles("lead"), requesterId: "finance" });
    const own = { requesterId: "finance", terms: { requesterMayNotApprove: true } };
    await propose("own, for others", { approvers: roles("finance", "lead"), ...own });
    await propose("elsewhere", { terms: { decideIn: ["slack"] } });
    await propose("not announced", { announce: false });
    await decide(await propose("held"), { holdMs: 10_000 });
    await decide(await propose("held beyond its time"), { holdMs: 10_000 });
    await propose("too late");
    for (const name of ["held beyond its time", "too late"]) {
      await world.database.admin`
        update countersign.approvals set expires_at = now() - interval '1 second' where id = ${ids[name] ?? ""}`;
    }
    await decide(await propose("voted", { approvers: roles("finance", "lead"), terms: { quorum: 2 } }));
    await decide(await propose("approved"));
    await decide(await propose("denied"), { type: "deny" });
    const interrupted = await propose("interrupted");
    await decide(interrupted);
    await world.database.admin`
      update countersign.approvals set status = 'interrupted' where id = ${interrupted.id}`;
  });
  afterAll(() => world[Symbol.asyncDispose]());

  async function get<T>(reader: string, path: string): Promise<T> {
    const response = await world.request(reader, path);
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()) as T;
  }
  const rowsOf = async (reader: string, query: string) =>
    (await get<{ items: Row[] }>(reader, `/approvals?limit=200&${query}`)).items;
  /** What the list of a reader has, by the names of the calls. */
  async function namesIn(reader: string, list: string) {
    const names = Object.fromEntries(Object.entries(ids).map(([name, id]) => [id, name]));
    return (await rowsOf(reader, `list=${list}`)).map(({ id }) => names[id]).sort();
  }

  it("have what is theirs to decide, what waits for others, what they asked for and what is uncertain", async () => {
    expect(await namesIn("finance", "for_you")).toEqual(["for all", "for finance"]);
    expect(await namesIn("finance", "waiting")).toEqual(["held", "held beyond its time", "voted"]);
    expect(await namesIn("finance", "asked")).toEqual(["for the lead", "own, for others"]);
    expect(await namesIn("finance", "uncertain")).toEqual(["interrupted"]);
    expect(await namesIn("lead", "for_you")).toEqual(["for all", "for the lead", "own, for others", "voted"]);
    expect(await namesIn("lead", "waiting")).toEqual([]);
    expect(await namesIn("requester", "for_you")).toEqual(["for all"]);
    expect(await namesIn("requester", "asked")).toEqual([
      "approved",
      "elsewhere",
      "for all",
      "for finance",
      "held",
      "held beyond its time",
      "not announced",
      "voted",
    ]);
    for (const list of lists) expect(await namesIn("stranger", list)).toEqual([]);
  });

  it("are the same in each call, in the counts and in the facets", async () => {
    for (const reader of readers) {
      const all = await rowsOf(reader, "fields=row");
      const counts = await get<{ lists: Record<string, number> }>(reader, "/approvals/counts");
      for (const list of lists) {
        const listed = (await rowsOf(reader, `list=${list}`)).map(({ id }) => id).sort();
        // A call says nothing of its deadline.
        const said = all.filter((row) => row.lists.includes(list) && row.id !== ids["too late"]);
        expect([reader, list, said.map(({ id }) => id).sort()]).toEqual([reader, list, listed]);
        const { found } = await get<{ found: number }>(reader, `/approvals/facets?list=${list}`);
        expect([counts.lists[list], found]).toEqual([listed.length, listed.length]);
      }
    }
  });

  it("are narrowed by risk, requester, tool and time left, and refuse what makes no sense", async () => {
    expect(await rowsOf("finance", "list=for_you&risk=high,critical")).toEqual([]);
    expect(await rowsOf("finance", "list=for_you&risk=medium&requester=requester&tool=refund")).toHaveLength(
      2,
    );
    expect(await rowsOf("finance", "list=for_you&endsWithin=1m")).toEqual([]);
    expect(await rowsOf("finance", "list=for_you&endsWithin=24h")).toHaveLength(2);
    for (const query of ["list=mine", "risk=huge", "endsWithin=soon", "fields=all"]) {
      expect((await world.request("finance", `/approvals?${query}`)).status).toBe(400);
    }
  });

  it("have rows without values, in which nobody can approve", async () => {
    const rows = await rowsOf("finance", "list=for_you&fields=row");
    expect(rows).toHaveLength(2);
    for (const row of rows) {
      expect(row).toMatchObject({
        input: null,
        valuesOmitted: true,
        yourDecisions: ["deny"],
        summary: "Refund A-1",
      });
    }
  });
});

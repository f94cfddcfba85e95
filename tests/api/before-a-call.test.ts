import type { Approval, Principal } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApiWorld } from "../support/api-world.js";
import { proposeCall } from "../support/proposals.js";

const roles = (...names: string[]) => ({ roles: names, ids: [] });
const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const readers = ["finance", "lead", "requester", "auditor"];

interface History {
  calls: number;
  approved: number;
  denied: number;
}

describe("the decided calls before a call", () => {
  let world: Awaited<ReturnType<typeof openApiWorld>>;
  /** The calls by what is special about each. */
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    world = await openApiWorld();
    const { store } = world;
    const propose = async (name: string, options: Parameters<typeof proposeCall>[1] = {}) => {
      const [call] = await proposeCall(store, {
        approvers: roles("finance", "lead"),
        requesterId: "ada",
        ...options,
      });
      if (!call) throw new Error("unreachable");
      ids[name] = call.id;
      return call;
    };
    const decide = ({ id, digest }: Approval, type: "approve" | "deny" = "approve") =>
      store.decide({ approvalId: id, digest, type, reason: null, principal: finance });
    /** Moves a call back in time. */
    const daysAgo = (id: string, days: number) => world.database.admin`
      update countersign.approvals set created_at = created_at - ${days} * interval '1 day',
        decided_at = decided_at - ${days} * interval '1 day' where id = ${id}`;
    await decide(await propose("approved"));
    await decide(await propose("only finance sees it", { approvers: roles("finance") }));
    await decide(await propose("denied"), "deny");
    await decide(await propose("another tool", { toolName: "email" }));
    await decide(await propose("for another person", { requesterId: "bea" }));
    const old = await propose("too old");
    await decide(old);
    await daysAgo(old.id, 31);
    const policys = await propose("decided by the policy");
    await decide(policys);
    await world.database.admin`update countersign.approvals set decided_by = null where id = ${policys.id}`;
    await propose("undecided");
    for (const id of Object.values(ids)) await daysAgo(id, 1);
    await propose("this one");
    await decide(await propose("decided itself"));
    const later = await propose("later");
    await decide(later);
    await world.database.admin`
      update countersign.approvals set created_at = created_at + interval '1 hour' where id = ${later.id}`;
  });
  afterAll(() => world[Symbol.asyncDispose]());

  async function get<T>(reader: string, path: string): Promise<T> {
    const response = await world.request(reader, path);
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()) as T;
  }
  const like = "tool=refund&requester=ada&decidedWithin=30d";
  async function namesBefore(reader: string, name: string, outcome: string) {
    const names = Object.fromEntries(Object.entries(ids).map(([key, id]) => [id, key]));
    const query = `${like}&outcome=${outcome}&before=${ids[name]}&sort=-decided`;
    const { items } = await get<{ items: { id: string }[] }>(reader, `/approvals?${query}`);
    return items.map(({ id }) => names[id]).sort();
  }

  it("are those of the same tool and person that people decided in the days before", async () => {
    const approved = ["approved", "only finance sees it"];
    expect(await namesBefore("finance", "this one", "decided")).toEqual(["approved", "denied", approved[1]]);
    expect(await namesBefore("finance", "this one", "approved")).toEqual(approved);
    expect(await namesBefore("finance", "this one", "denied")).toEqual(["denied"]);
    // A call that is decided itself is not among them.
    expect(await namesBefore("finance", "decided itself", "approved")).toEqual(approved);
  });

  it("are as many as the history of the call counts, for every reader", async () => {
    for (const name of ["this one", "decided itself"]) {
      for (const reader of ["finance", "lead"]) {
        const { history } = await get<{ history: History }>(reader, `/approvals/${ids[name]}`);
        const { calls, approved, denied } = history;
        expect([reader, await namesBefore(reader, name, "decided")]).toEqual([reader, expect.any(Array)]);
        expect({
          calls: (await namesBefore(reader, name, "decided")).length,
          approved: (await namesBefore(reader, name, "approved")).length,
          denied: (await namesBefore(reader, name, "denied")).length,
        }).toEqual({ calls, approved, denied });
      }
    }
    expect(await namesBefore("lead", "this one", "approved")).toEqual(["approved"]);
  });

  it("are counted from now without a call, and in facets", async () => {
    const { items } = await get<{ items: unknown[] }>("finance", `/approvals?${like}&outcome=approved`);
    expect(items).toHaveLength(4);
    const { found } = await get<{ found: number }>(
      "finance",
      `/approvals/facets?list=for_you&before=${ids["this one"]}`,
    );
    // Only the undecided one: not the call itself, and no later one.
    expect(found).toBe(1);
  });

  it("are not found for a call that the reader may not see, or that does not exist", async () => {
    for (const [reader, id] of [
      ["stranger", ids["this one"]],
      ["lead", ids["only finance sees it"]],
      ["finance", "apr_nothing"],
    ]) {
      expect([reader, (await world.request(`${reader}`, `/approvals?before=${id}`)).status]).toEqual([
        reader,
        404,
      ]);
    }
  });

  it("are not asked for with what makes no sense", async () => {
    for (const query of ["outcome=maybe", "decidedWithin=soon", "decidedWithin=366d", "before="]) {
      expect([query, (await world.request("finance", `/approvals?${query}`)).status]).toEqual([query, 400]);
    }
    expect((await world.request("finance", "/approvals?endsWithin=9000000y")).status).toBe(400);
    for (const reader of readers) {
      expect((await world.request(reader, `/approvals?${like}&outcome=denied`)).status).toBe(200);
    }
  });
});

import type { Principal } from "countersign";
import { type ApprovalsApiOptions, approvalsApi, type Person } from "countersign/hono";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { knownByToken, openApiWorld } from "../support/api-world.js";

let world: Awaited<ReturnType<typeof openApiWorld>>;
beforeAll(async () => {
  world = await openApiWorld();
});
afterAll(() => world[Symbol.asyncDispose]());
afterEach(() => vi.restoreAllMocks());

describe("the people whom the host names", () => {
  const ask = async (people?: ApprovalsApiOptions["people"], token = "finance") => {
    const api = approvalsApi(world.countersign, {
      authenticate: knownByToken,
      ...(people && { people }),
    });
    const response = await api.request("/people?tenantId=other", {
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: response.status, body: await response.json() };
  };

  it("are none where it names nobody", async () => {
    expect(await ask()).toEqual({ status: 200, body: { items: [] } });
  });

  it("are asked for in the name of who asks, and of no tenant that a request names", async () => {
    const asked: Principal[] = [];
    const people = async (principal: Principal): Promise<Person[]> => {
      asked.push(principal);
      return [{ id: "lead" }];
    };
    expect(await ask(people)).toEqual({ status: 200, body: { items: [{ id: "lead" }] } });
    expect(await ask(people, "wrong")).toMatchObject({ status: 401 });
    expect(asked).toMatchObject([{ id: "finance", tenantId: "acme" }]);
  });

  it("are told with nothing but their ids, names and roles, and no more than a thousand", async () => {
    const many = Array.from({ length: 1001 }, (_, at) => ({
      ...{ id: `${at}`, displayName: `No ${at}`, roles: ["finance"], tenantId: "acme", salary: 1 },
    }));
    const { body } = await ask(() => many);
    expect(body.items).toHaveLength(1000);
    expect(body.items[999]).toEqual({ id: "999", displayName: "No 999", roles: ["finance"] });
  });

  it("are nobody's to see where the host's directory fails, or gives what is none", async () => {
    const told = vi.spyOn(console, "error").mockImplementation(() => {});
    const failing = () => Promise.reject(new Error("ldap://secret.example is down"));
    for (const people of [failing, () => [{ id: "" }], () => [{ id: "x", roles: "secret" }] as never]) {
      const { status, body } = await ask(people);
      expect([status, body.code]).toEqual([500, "internal"]);
      expect(JSON.stringify(body)).not.toContain("secret");
    }
    expect(told).toHaveBeenCalledTimes(3);
    expect(JSON.stringify(told.mock.calls)).not.toContain("secret");
  });
});

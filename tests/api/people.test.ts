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

describe("the list of people", () => {
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

  it("is empty when the host gives no directory", async () => {
    expect(await ask()).toEqual({ status: 200, body: { items: [] } });
  });

  it("comes from the host's directory for the caller, whatever tenant the query names", async () => {
    const asked: Principal[] = [];
    const people = async (principal: Principal): Promise<Person[]> => {
      asked.push(principal);
      return [{ id: "lead" }];
    };
    expect(await ask(people)).toEqual({ status: 200, body: { items: [{ id: "lead" }] } });
    expect(await ask(people, "wrong")).toMatchObject({ status: 401 });
    expect(asked).toMatchObject([{ id: "finance", tenantId: "acme" }]);
  });

  it("has only ids, names and roles, and at most a thousand people", async () => {
    const many = Array.from({ length: 1001 }, (_, at) => ({
      ...{ id: `${at}`, displayName: `No ${at}`, roles: ["finance"], tenantId: "acme", salary: 1 },
    }));
    const { body } = await ask(() => many);
    expect(body.items).toHaveLength(1000);
    expect(body.items[999]).toEqual({ id: "999", displayName: "No 999", roles: ["finance"] });
  });

  it("is a 500 without details when the directory fails or returns invalid people", async () => {
    const consoleError = vi.spyOn(console, "error").mockImplementation(() => {});
    const failing = () => Promise.reject(new Error("ldap://secret.example is down"));
    for (const people of [failing, () => [{ id: "" }], () => [{ id: "x", roles: "secret" }] as never]) {
      const { status, body } = await ask(people);
      expect([status, body.code]).toEqual([500, "internal"]);
      expect(JSON.stringify(body)).not.toContain("secret");
    }
    expect(consoleError).toHaveBeenCalledTimes(3);
    expect(JSON.stringify(consoleError.mock.calls)).not.toContain("secret");
  });
});

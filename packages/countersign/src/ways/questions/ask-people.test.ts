import { expect, it } from "vitest";
import { idsOfRound } from "./ask-people.js";

const idsWith = (secret: string) =>
  idsOfRound({ id: "mcp_1", runtime: { store: { nameSecret: async () => secret } } }, 0, ["name"]);

it("the ids of a round are the same on every replay, and nobody can calculate them from the call", async () => {
  const ids = await idsWith("secret of this database");
  expect(await idsWith("secret of this database")).toEqual(ids);
  const others = await idsWith("secret of another");
  expect(others.requestId).not.toBe(ids.requestId);
  expect(others.approvalIds).not.toEqual(ids.approvalIds);
});

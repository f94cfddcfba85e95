import { expect, it } from "vitest";
import { call, refund, requested } from "../support/mcp-server/agent-requests.js";
import { openMcpWorld, structured } from "../support/mcp-server/mcp-world.js";

it("the list stays small when arguments are large, and has all calls over its pages", async () => {
  await using world = await openMcpWorld();
  const agent = await world.client("agent");
  const ids: string[] = [];
  for (const size of [300_000, 100_000, 100_000, 100_000, 10]) {
    const { tool, arguments: args } = refund();
    ids.push((await requested(agent, { tool, arguments: { ...args, text: "x".repeat(size) } })).approvalId);
  }
  const finance = await world.client("finance");
  const pages: string[][] = [];
  for (let cursor: unknown; pages.length < 10; ) {
    const page = { limit: 2, ...(cursor !== undefined && { cursor }) };
    const { items, nextCursor } = structured(await call(finance, "list_pending_approvals", page)) as {
      items: { id: string }[];
      nextCursor: unknown;
    };
    for (const item of items) expect(JSON.stringify(item).length).toBeLessThan(800);
    pages.push(items.map(({ id }) => id));
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  expect(pages.flat()).toEqual(ids);
  expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
});

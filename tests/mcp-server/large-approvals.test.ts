import { expect, it } from "vitest";
import { call, refund, requested } from "../support/mcp-server/agent-requests.js";
import { openMcpWorld, structured } from "../support/mcp-server/mcp-world.js";

it("a page of the list ends early when arguments are large, and the next pages have the rest", async () => {
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
    const result = await call(finance, "list_pending_approvals", cursor === undefined ? {} : { cursor });
    const { items, nextCursor } = structured(result) as { items: { id: string }[]; nextCursor: unknown };
    expect(JSON.stringify(result).length).toBeLessThan(2_500_000);
    pages.push(items.map(({ id }) => id));
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  expect(pages.flat()).toEqual(ids);
  expect(pages.map(({ length }) => length)).toEqual([1, 2, 2]);
});

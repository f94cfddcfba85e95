import { expect, it } from "vitest";
import { eventually } from "../support/harness.js";
import { tripDesk } from "../support/mcp/trip-desk.js";
import { tripSite } from "../support/mcp/trip-site.js";
import { v1TripSite } from "../support/mcp/v1-trip-site.js";

const form = { type: "object", properties: { word: { type: "string" } } };
const question = (requestedSchema: object = form) => ({
  method: "elicitation/create",
  params: { message: "Which word?", requestedSchema },
});

/** A server that answers each call with these questions. */
async function askingSite(inputRequests: Record<string, unknown>) {
  const site = await tripSite();
  const calls: unknown[] = [];
  site.before = async (request) => {
    const { id, method, params } = JSON.parse(await request.text());
    if (method !== "tools/call") return undefined;
    calls.push(params);
    const result = { resultType: "input_required", inputRequests };
    return Response.json({ jsonrpc: "2.0", id, result });
  };
  return { site, calls, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() };
}

it.each<[string, Record<string, unknown>]>([
  ["null", { a: null }],
  ["a list of questions", { a: [question()] }],
  ["a sampling request", { a: { method: "sampling/createMessage", params: { messages: [] } } }],
])("a server with an invalid input request (%s) is called once, and nobody is asked", async (_, requests) => {
  await using asking = await askingSite(requests);
  await using desk = await tripDesk({ server: asking.site });
  expect(await desk.modelInput()).toMatch(/Nobody was asked|gave no usable answer|refused the call/);
  expect(asking.calls).toHaveLength(1);
  expect((await desk.harness.call("finance", "/approvals")).body.items).toEqual([]);
});

it.each<[string, Record<string, unknown>]>([
  ["under a name of a megabyte", { ["a".repeat(1_000_000)]: question() }],
  [
    "with a form of many long fields",
    {
      a: question({
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 90 }, (_, index) => [
            `field${index}`,
            { type: "string", description: "d".repeat(9_000) },
          ]),
        ),
      }),
    },
  ],
])("a question %s is refused as too large", async (_, requests) => {
  await using asking = await askingSite(requests);
  await using desk = await tripDesk({ server: asking.site });
  expect(await desk.modelInput()).toContain("asked questions of more than");
  expect(asking.calls).toHaveLength(1);
});

it("a server that asks more than ten questions in one call gets cancel for the rest", async () => {
  await using site = await v1TripSite();
  await using desk = await tripDesk({
    server: site,
    call: { name: "trips-ask_at_once", input: { trip: "50" } },
  });
  for (let round = 0; round < 10; round++) {
    await desk.question();
    await desk.respond({ action: "decline" });
  }
  expect(await desk.modelInput()).toContain("asked more than 10 times in one call");
  const [deed] = await eventually(
    async () => (site.deeds.length > 0 ? site.deeds : undefined),
    "the server's tool ends",
  );
  expect(deed).toMatchObject({ declined: 10, cancelled: 40 });
});

import { type McpServer, type McpToolsOptions, mcpTools } from "@countersign/mcp/client";
import type { Policy } from "countersign";
import { allow, definePolicy } from "countersign";
import type { ApprovalView } from "countersign/hono";
import { freshPostgres } from "../databases.js";
import { inTurns } from "../desk-tools.js";
import { eventually, openHarness } from "../harness.js";
import type { HarnessOptions } from "../harness-options.js";

/** A desk whose agent calls one tool of an MCP server. */
export async function tripDesk({
  server,
  policy = definePolicy({ tools: { "trips-*": allow() } }),
  call = { name: "trips-book", input: { trip: "Oslo" } },
  mcp = {},
  message = "Book a trip",
  ...harnessOptions
}: {
  server: McpServer | { url: string; deeds: unknown };
  policy?: Policy;
  call?: { name: string; input: Record<string, unknown> };
  mcp?: Partial<McpToolsOptions>;
  message?: string;
} & Partial<Omit<HarnessOptions, "policy">>) {
  const database = await freshPostgres();
  const connect = () =>
    mcpTools({ servers: { trips: "deeds" in server ? { url: server.url } : server }, ...mcp });
  let trips = await connect();
  const tools = [...trips.tools];
  const harness = await openHarness({
    database,
    tools,
    policy,
    reply: inTurns({ toolCalls: [call] }),
    ...harnessOptions,
  });
  const { runId, threadId } = await harness.say(message);
  return {
    harness,
    closeConnections: () => trips.close(),
    /** Replaces the process by one with new connections and tools. */
    async restart() {
      await trips.close();
      trips = await connect();
      tools.splice(0, tools.length, ...trips.tools);
      harness.redeploy({});
    },
    database,
    runId,
    threadId,
    /** Waits for a server's pending question, as the principal of the token sees it. */
    question: (token = "finance"): Promise<ApprovalView> =>
      eventually(async () => {
        const { body } = await harness.call(token, "/approvals?status=pending&tool=request_human_input");
        return body.items[0];
      }, "a question"),
    /** Waits until the run sleeps. Only the clock ends a sleep. */
    sleeps: () =>
      eventually(async () => {
        const [sleep] = await database.admin`
          select id from local_engine.wait
          where kind = 'sleep' and run_id = ${runId} and expires_at > ${harness.clock.now()}`;
        return sleep;
      }, "the run sleeps"),
    async respond(response: unknown, by: { token?: string; question?: ApprovalView } = {}) {
      const { token = "finance", question } = by;
      const { id, digest } = question ?? (await harness.onlyPending());
      return harness.call(token, `/approvals/${id}/decision`, {
        method: "POST",
        body: { type: "respond", digest, response },
      });
    },
    /** The body of the last request to the model, after the run has ended. */
    async modelInput() {
      await harness.ended(runId);
      return JSON.stringify(harness.model.requests.at(-1)?.body);
    },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await trips.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

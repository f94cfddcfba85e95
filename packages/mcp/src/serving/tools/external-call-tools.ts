import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";
import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { waitForChange } from "../changes/wait-for-change.js";
import type { Reader } from "../reader.js";
import { outcomeJson, outcomeResult, says } from "./outcome-result.js";
import { acceptsTasks, addOutcomeTasks, newTask } from "./outcome-tasks.js";
import { jsonResult, withErrorsAsResults } from "./tool-result.js";
import { withProgress } from "./with-progress.js";

/** Below the 60 seconds after which most clients give up on a request. */
const maxWaitSeconds = 50;

/**
 * Any JSON object, unchanged. Zod's objects and records drop a field named `__proto__`: people would not see it, and the
 * digest would not include it.
 */
const exactly = z
  .unknown()
  .meta({ type: "object" })
  .transform((given, context) => {
    if (isPlainObject(given)) return given;
    context.addIssue("must be an object");
    return z.NEVER;
  });
const approvalId = z.string().min(1).max(200).describe("The approvalId that request_approval returned");
const call = {
  tool: z.string().min(1).max(200).describe("Name of the tool or action that you are about to run"),
  arguments: exactly.describe("Exactly the arguments that you would run it with"),
};

/** Tools by which any agent that speaks MCP puts its own calls before people. */
export function addExternalCallTools(server: McpServer, reader: Reader): void {
  const { principal, countersign, context, profile } = reader;
  const { externalCalls, logger } = countersign;
  addOutcomeTasks(server, reader);

  server.registerTool(
    "request_approval",
    {
      title: "Ask for approval of an action",
      description:
        "Call this before you run an action that may need a person's approval. Status allowed: run it. Status pending: wait with get_approval_outcome. Status approved: call use_approval, then run it. Status refused: do not run it.",
      inputSchema: z.object({
        ...call,
        key: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .describe("A name for this request, so that a retry joins it"),
      }),
      annotations: { destructiveHint: false, openWorldHint: false },
    },
    withErrorsAsResults(logger, async ({ tool, arguments: input, key }, ctx) => {
      const outcome = await externalCalls.request({
        principal,
        toolName: tool,
        input,
        ...(key !== undefined && { key }),
        ...(profile !== undefined && { profile }),
      });
      if (outcome.status === "pending" && acceptsTasks(reader, ctx)) {
        // The SDK forwards this task unchanged, but its types do not include tasks.
        return (await newTask(reader, outcome.approvalId)) as unknown as CallToolResult;
      }
      return outcomeResult(outcome);
    }),
  );

  server.registerTool(
    "get_approval_outcome",
    {
      title: "Ask what was decided",
      description: "Returns what became of an action that you put before people with request_approval.",
      inputSchema: z.object({
        approvalId,
        waitSeconds: z
          .number()
          .min(0)
          .max(maxWaitSeconds)
          .default(0)
          .describe("Waits this long for a decision"),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    withErrorsAsResults(logger, async ({ approvalId, waitSeconds }, ctx) => {
      const read = () => externalCalls.outcome({ principal, approvalId });
      if (waitSeconds === 0) return outcomeResult(await read());
      const wait = () =>
        waitForChange(context.store, principal.tenantId, {
          read,
          waits: ({ status }) => status === "pending",
          ms: waitSeconds * 1000,
          signal: ctx.mcpReq.signal,
          enter: reader.enterWait,
        });
      return outcomeResult(await withProgress(ctx, reader.heartbeatMs, wait));
    }),
  );

  server.registerTool(
    "use_approval",
    {
      title: "Use an approval once",
      description:
        "Uses up the approval of exactly this tool and these arguments. Run the action only if go is true, and only once.",
      inputSchema: z.object({
        approvalId,
        ...call,
        digest: z.string().max(200).optional().describe("The digest that request_approval returned"),
      }),
      annotations: { destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    withErrorsAsResults(logger, async ({ tool, arguments: input, digest, ...named }) => {
      const reference = { principal, approvalId: named.approvalId };
      const use = { ...reference, toolName: tool, input };
      const permit = await externalCalls.use(digest === undefined ? use : { ...use, digest });
      if (permit.go) return jsonResult({ ...permit }, "Run it now, once.");
      return jsonResult(
        { go: false, ...outcomeJson(permit.outcome) },
        `Do not run it. ${says(permit.outcome)}`,
      );
    }),
  );

  server.registerTool(
    "withdraw_approval_request",
    {
      title: "Withdraw a request for approval",
      description: "Withdraws an action that nobody has decided yet, because it is no longer wanted.",
      inputSchema: z.object({ approvalId }),
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    withErrorsAsResults(logger, async (input) =>
      outcomeResult(await externalCalls.withdraw({ principal, approvalId: input.approvalId })),
    ),
  );
}

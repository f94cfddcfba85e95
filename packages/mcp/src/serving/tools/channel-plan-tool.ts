import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { McpServerOptions } from "../options.js";
import { jsonResult } from "./tool-result.js";

/** The tool that shows which channels of operators' confirmations are in force. */
export function addChannelPlanTool(
  server: McpServer,
  confirmations: NonNullable<McpServerOptions["confirmations"]>,
): void {
  server.registerTool(
    "operator_confirmation_implementation_channel_plan",
    {
      title: "Show the channels of operators' confirmations",
      description:
        "Shows for each channel of operators' confirmations whether it is in force, why, and what it authorizes. Changes nothing and authorizes nothing.",
      inputSchema: z.object({}),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async () => jsonResult({ ...confirmations.channelPlan() }),
  );
}

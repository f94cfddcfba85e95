import { McpServer } from "@modelcontextprotocol/server";
import type { Reader } from "./reader.js";
import { addApprovalResources } from "./resources.js";
import { addApprovalTools } from "./tools/approval-tools.js";
import { addChannelPlanTool } from "./tools/channel-plan-tool.js";
import { addDecisionTools } from "./tools/decision-tools.js";
import { addExternalCallTools } from "./tools/external-call-tools.js";
import { tasksExtension } from "./tools/outcome-tasks.js";

/** The server as one person sees it, for one request. */
export function buildServer(reader: Reader): McpServer {
  const modern = reader.era === "modern";
  const subscribe = modern ? { subscribe: true } : {};
  const extensions = modern && reader.mayRequest ? { extensions: { [tasksExtension]: {} } } : {};
  const server = new McpServer(
    { name: "countersign", title: "Countersign", version: "1" },
    {
      capabilities: { tools: {}, resources: { listChanged: true, ...subscribe }, ...extensions },
      instructions:
        "Approvals of agents' tool calls. A person decides them in the inbox; this server never approves anything by itself.",
    },
  );
  addApprovalTools(server, reader);
  addDecisionTools(server, reader);
  if (reader.confirmations) addChannelPlanTool(server, reader.confirmations);
  if (reader.mayRequest) addExternalCallTools(server, reader);
  addApprovalResources(server, reader);
  return server;
}

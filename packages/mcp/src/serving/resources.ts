import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { type McpServer, ResourceNotFoundError, ResourceTemplate } from "@modelcontextprotocol/server";
import type { Reader } from "./reader.js";
import { approvalOf } from "./tools/approval-tools.js";

const prefix = "countersign://approvals/";
const mimeType = "application/json";
/** Maximum number of approvals in the list of resources. */
const maxListed = 100;

/** The resource of an approval. */
export function resourceUri(approvalId: string): string {
  return `${prefix}${encodeURIComponent(approvalId)}`;
}

/** Adds one resource for each approval. Pending approvals are listed; this person can read all that they may see. */
export function addApprovalResources(server: McpServer, reader: Reader): void {
  const { context, principal } = reader;
  const template = new ResourceTemplate(`${prefix}{approvalId}`, {
    async list() {
      const found = await context.store.listApprovals({
        tenantId: principal.tenantId,
        visibleTo: principal,
        statuses: ["pending"],
        limit: maxListed,
      });
      return {
        resources: found.map(({ id, toolName, summary, terms }) => ({
          uri: resourceUri(id),
          name: id,
          title: terms.label ?? toolName,
          description: summary,
          mimeType,
        })),
      };
    },
  });
  server.registerResource(
    "approval",
    template,
    { title: "Approval", description: "A tool call that waits for approval or has been decided", mimeType },
    async (uri, { approvalId }) => {
      const id = Array.isArray(approvalId) ? approvalId.join("") : (approvalId ?? "");
      try {
        const approval = await approvalOf(reader, decodeURIComponent(id));
        return { contents: [{ uri: uri.href, mimeType, text: JSON.stringify(approval) }] };
      } catch (error) {
        const missing = CountersignError.isInstance(error) && error.code === "not_found";
        throw missing || error instanceof URIError ? new ResourceNotFoundError(uri.href) : error;
      }
    },
  );
}

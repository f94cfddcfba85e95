import { overBudgetText } from "@countersign/policy/internal/display/budget-text";
import { codePreviewText } from "@countersign/policy/internal/display/code-preview-text";
import { previewLines } from "@countersign/policy/internal/display/effect-text";
import { isOpen } from "@countersign/policy/internal/shared/approval-status";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/server";
import type { Approval } from "countersign";
import type { ApprovalView } from "countersign/client";
import * as z from "zod";
import { waitForChange } from "../changes/wait-for-change.js";
import { mcpPlace } from "../mcp-channel.js";
import { type Elicitation, inboxUrlOf, type Reader } from "../reader.js";
import { approvalOf } from "./approval-tools.js";
import { jsonResult, withErrorsAsResults } from "./tool-result.js";
import { withProgress } from "./with-progress.js";

/** Maximum number of effects in a question. The inbox shows all of them. */
const maxEffects = 10;
const approvalId = z.string().min(1).max(200).describe("The approval's id, from list_pending_approvals");
const denial = z.object({ reason: z.string().trim().min(1).max(2000) });
const denialForm = {
  type: "object" as const,
  properties: {
    reason: {
      type: "string" as const,
      title: "Reason",
      description: "Why you deny this call. The agent reads it. This denies the call at once.",
      minLength: 1,
      maxLength: 2000,
    },
  },
  required: ["reason"],
};

/** Tools by which a person decides: in the inbox, which the client opens, or by a form that can only deny. */
export function addDecisionTools(server: McpServer, reader: Reader): void {
  const { logger } = reader.countersign;
  server.registerTool(
    "decide_approval",
    {
      title: "Decide an approval in the inbox",
      description:
        "Opens the inbox at this approval. The person who is signed in there decides; no answer of this client approves anything. Call it again to learn what was decided.",
      inputSchema: z.object({ approvalId }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    withErrorsAsResults(logger, async (input, ctx) => decide(reader, input.approvalId, ctx)),
  );
  server.registerTool(
    "deny_approval",
    {
      title: "Deny an approval",
      description:
        "Asks the person for a reason and denies the call with it. Only for calls whose rule lets people decide over MCP; nothing can be approved this way.",
      inputSchema: z.object({ approvalId }),
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    withErrorsAsResults(logger, async (input, ctx) => deny(reader, input.approvalId, ctx)),
  );
}

async function decide(reader: Reader, id: string, ctx: ServerContext) {
  const approval = await reader.context.find(reader.principal, id);
  const url = inboxUrlOf(reader, id);
  if (!isOpen(approval.status)) return state(reader, id, closed(approval));
  if (url === null) return state(reader, id, "The call waits for a decision. Decide it in the inbox.");
  const answer = inputResponse(ctx.mcpReq.inputResponses, "open");
  if (answer.kind === "elicit") {
    if (answer.action !== "accept")
      return state(reader, id, "The inbox was not opened. The call still waits.");
    // The answer only means that the page may be opened. The decision is made on that page.
    const wait = () =>
      waitForChange(reader.context.store, reader.principal.tenantId, {
        read: () => reader.context.find(reader.principal, id),
        waits: ({ status }) => isOpen(status),
        ms: reader.decisionWaitMs,
        signal: ctx.mcpReq.signal,
        enter: reader.enterWait,
      });
    const now = await withProgress(ctx, reader.heartbeatMs, wait);
    return state(
      reader,
      id,
      isOpen(now.status) ? `The call still waits for a decision at ${url}` : closed(now),
    );
  }
  const message = `Decide this call in the inbox: ${inWords(reader.context.view(approval, reader.principal))}`;
  if (elicitationOf(reader, ctx).url) {
    if (reader.era === "modern") {
      return inputRequired({ inputRequests: { open: inputRequired.elicitUrl({ message, url }) } });
    }
    const opening = [{ mode: "url" as const, message, url, elicitationId: id }];
    throw new UrlElicitationRequiredError(opening, `Ask the person to decide it in the inbox: ${url}`);
  }
  return state(reader, id, `Ask the person to decide it in the inbox: ${url}`);
}

async function deny(reader: Reader, id: string, ctx: ServerContext) {
  const approval = await reader.context.find(reader.principal, id);
  if (!isOpen(approval.status)) return state(reader, id, closed(approval));
  const url = inboxUrlOf(reader, id);
  const elsewhere = url === null ? "Decide it in the inbox." : `Decide it in the inbox: ${url}`;
  if (!approval.terms.decideIn.includes(mcpPlace)) {
    return state(reader, id, `The rule of this call does not let people decide over MCP. ${elsewhere}`);
  }
  const answer = inputResponse(ctx.mcpReq.inputResponses, "deny");
  if (answer.kind !== "elicit") {
    if (reader.era === "legacy" || !elicitationOf(reader, ctx).form) {
      return state(reader, id, `This client cannot ask with a form. ${elsewhere}`);
    }
    return askForReason(approval, reader);
  }
  if (answer.action !== "accept") return state(reader, id, "Nothing was decided. The call still waits.");
  const content = denial.safeParse(answer.content);
  const digest = ctx.mcpReq.requestState<string>();
  if (!content.success || typeof digest !== "string") return askForReason(approval, reader);
  await reader.countersign.decide({
    approvalId: id,
    principal: { ...reader.principal, authenticatedBy: mcpPlace },
    type: "deny",
    // The digest of the call that was shown with the form. If the client changes it, the denial is refused.
    digest,
    reason: content.data.reason,
    place: mcpPlace,
  });
  return state(reader, id, closed(await reader.context.find(reader.principal, id)));
}

function askForReason(approval: Approval, { context, principal }: Reader): InputRequiredResult {
  const view = context.view(approval, principal);
  const deny = inputRequired.elicit({ message: `Deny: ${inWords(view)}`, requestedSchema: denialForm });
  return inputRequired({ inputRequests: { deny }, requestState: view.digest });
}

/**
 * The call in a sentence, the budget into which it does not fit, what it would change, what was counted, and the tools that a
 * script in it appears to call.
 */
function inWords({ summary, codePreview, preview, counts, overBudget }: ApprovalView): string {
  const budget = overBudget === null ? [] : [overBudgetText(overBudget)];
  const effects = preview === null ? [] : previewLines(preview, { max: maxEffects });
  const title = preview?.failed === null ? ["What would change:"] : [];
  const code = codePreviewText(codePreview);
  const counted = counts.map(({ text }) => `Counted over time: ${text}`);
  return [summary, ...budget, ...title, ...effects, ...counted, ...(code === null ? [] : [code])].join("\n");
}

/** The elicitation modes that this client declares. */
function elicitationOf(reader: Reader, ctx: ServerContext): Elicitation {
  if (reader.era === "legacy") return reader.claimed;
  return elicitationIn(Reflect.get(ctx.mcpReq.envelope ?? {}, CLIENT_CAPABILITIES_META_KEY));
}

const capabilities = z.object({
  elicitation: z.object({ form: z.unknown().optional(), url: z.unknown().optional() }),
});

/** An empty capability `{}` means forms only. */
export function elicitationIn(given: unknown): Elicitation {
  const parsed = capabilities.safeParse(given);
  if (!parsed.success) return { url: false, form: false };
  const { form, url } = parsed.data.elicitation;
  return { url: url !== undefined, form: form !== undefined || url === undefined };
}

async function state(reader: Reader, id: string, message: string) {
  return jsonResult(await approvalOf(reader, id), message);
}

function closed({ status, decision }: Approval): string {
  const by = decision?.decidedBy ? ` by ${decision.decidedBy}` : "";
  return `This call is ${status}${by}. Nothing is left to decide.`;
}

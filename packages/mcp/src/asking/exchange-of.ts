import { bytesOf, sizeText } from "@countersign/policy/internal/shared/byte-size";
import * as z from "zod";
import { translateQuestion } from "./elicitation.js";
import type { Asks, Exchange, ServerAnswer } from "./exchange.js";
import type { McpCall } from "./mcp-call.js";
import { type StateOwner, sealState } from "./request-state.js";

const maxQuestions = 20;
/** Maximum size of all questions of a round, with names and forms, because a step's output contains them. */
const maxQuestionsBytes = 256 * 1024;
const maxStateBytes = 256 * 1024;

const elicitation = z.object({ method: z.literal("elicitation/create"), params: z.unknown() });

/**
 * The form of an answer that the run keeps: questions translated, the state sealed, and the size within Inngest's
 * limits.
 */
export async function exchangeOf(mcpCall: McpCall, round: number, answered: ServerAnswer): Promise<Exchange> {
  const { call, server, tool } = mcpCall;
  if (answered.kind !== "asks") return fitting(mcpCall, answered);
  const { requests, requestState, resumes } = answered;
  const keys = Object.keys(requests);
  const refuse = async (problem: string) => {
    await call.noteRefusal("invalid_input");
    return failed(
      `The MCP server "${server.name}" ${problem}. Nobody was asked, and the call was not continued.`,
    );
  };
  if (keys.length > maxQuestions) return refuse(`asked more than ${maxQuestions} questions at once`);
  if (bytesOf(JSON.stringify(requests)) > maxQuestionsBytes) {
    return refuse(`asked questions of more than ${sizeText(maxQuestionsBytes)}`);
  }
  if (requestState !== undefined && bytesOf(requestState) > maxStateBytes) {
    return refuse(`sent a request state of more than ${sizeText(maxStateBytes)}`);
  }
  const questions: Asks["questions"] = [];
  for (const key of keys) {
    const request = elicitation.safeParse(requests[key]);
    if (!request.success) return refuse("asked for something other than a person's answer");
    const translated = translateQuestion({ server: server.name, tool }, key, request.data.params);
    if (!translated.ok) return refuse(translated.problem);
    questions.push(translated.question);
  }
  const approvalIds = await call.approvalIds(round, keys);
  const rows = questions.map(({ input }, index) => ({
    approvalId: approvalIds[index] ?? "",
    inputJson: JSON.stringify(input),
  }));
  const sealedState =
    requestState === undefined ? null : sealState(await call.secret(), ownerOf(mcpCall, rows), requestState);
  return { kind: "asks", questions, sealedState, resumes };
}

/** The call and the questions to which a sealed state belongs. */
export function ownerOf(
  { call, server, tool, argumentsJson }: McpCall,
  questions: StateOwner["questions"],
): StateOwner {
  return {
    tenantId: call.tenantId,
    runId: call.runId,
    server: server.name,
    tool,
    argumentsJson,
    questions,
  };
}

/** Replaces an answer that is too large for a step's output: the engine would fail the run. */
function fitting({ call, server }: McpCall, exchange: Exclude<ServerAnswer, { kind: "asks" }>): Exchange {
  const bytes = bytesOf(JSON.stringify(exchange));
  if (bytes <= call.resultBytes) return exchange;
  return failed(
    `The MCP server "${server.name}" answered, and the call ran, but its result of ${sizeText(bytes)} is larger than the maximum of ${sizeText(call.resultBytes)}. Do not repeat the call.`,
  );
}

/** A failure with the text that the model reads as the tool's error. */
export function failed(message: string) {
  return { kind: "failed" as const, message };
}

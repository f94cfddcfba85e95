import { partText, quotedValue } from "@countersign/policy/display";
import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";

/** Whether the call is a question to a person and not a request for approval. */
export function isQuestion({ toolName, verdict }: Pick<Approval, "toolName" | "verdict">): boolean {
  return toolName === "request_human_input" && verdict === "manual";
}

/** Who asks a question, at the beginning of a sentence. The host names its MCP servers. */
export function askerOf({ mcpServer }: Pick<Approval, "mcpServer">): string {
  const { agent, mcpServer: server } = words.values.question;
  return mcpServer ? server(quotedValue(mcpServer, words.display)) : agent;
}

/** A piece of an approval's summary. Values come from the model and are shown as values. */
export interface SentencePiece {
  text: string;
  isValue: boolean;
}

type Summarized = Pick<Approval, "summaryParts">;

/** An approval's summary in pieces: what would run, or has run, with an edit. */
export function sentencePieces({ summaryParts }: Summarized): SentencePiece[] {
  return piecesOf(summaryParts);
}

/** The sentence about a call's result in pieces; none without such a sentence. */
export function resultPieces({ resultSummaryParts }: Pick<Approval, "resultSummaryParts">): SentencePiece[] {
  return piecesOf(resultSummaryParts);
}

function piecesOf(parts: Approval["summaryParts"]): SentencePiece[] {
  return parts.map((part) => ({ text: partText(part, words.display), isValue: !("text" in part) }));
}

/** The summary as plain text, for titles, notifications and search. */
export function sentenceOf(approval: Summarized): string {
  return sentencePieces(approval)
    .map(({ text }) => text)
    .join("");
}

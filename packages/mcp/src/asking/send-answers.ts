import { callServer } from "./call-server.js";
import type { PushedAnswer } from "./connection.js";
import type { Asks, Exchange } from "./exchange.js";
import { exchangeOf, failed, ownerOf } from "./exchange-of.js";
import { answerHeld, pushedKey } from "./held-calls.js";
import type { McpCall, QuestioningCall } from "./mcp-call.js";
import { openState } from "./request-state.js";

/** Sends the first request of a call or, with `sent`, a later one. */
export async function sendRequest(
  mcpCall: McpCall,
  round: number,
  sent: Partial<Pick<Parameters<typeof callServer>[2], "inputResponses" | "requestState">> = {},
): Promise<Exchange> {
  const { call, server, connections, tool, argumentsJson } = mcpCall;
  const answered = await callServer(server, connections, {
    callId: call.id,
    tool,
    arguments: JSON.parse(argumentsJson),
    ...sent,
  });
  return exchangeOf(mcpCall, round, answered);
}

interface Round {
  round: number;
  asks: Asks;
  asked: Parameters<QuestioningCall["answers"]>[1];
  decisions: Parameters<QuestioningCall["answers"]>[2];
}

/** Continues the call with people's answers, unless an operator has stopped it or the answers cannot be verified. */
export async function sendAnswers(
  mcpCall: McpCall,
  { round, asks, asked, decisions }: Round,
): Promise<Exchange> {
  const { call, server } = mcpCall;
  const stopped = await call.refusalByStop();
  if (stopped) return failed(stopped.message);
  const read = await call.answers(asks.questions, asked, decisions);
  if (!read.ok) {
    return failed(
      `The answer to the question of the MCP server "${server.name}" could not be verified, so it was not sent`,
    );
  }
  if (asks.resumes === "connection") return answerOverConnection(mcpCall, round, read.responses);
  if (asks.resumes === "call") return callAgain(mcpCall, round, read.responses);
  const { sealedState } = asks;
  if (sealedState === null) return sendRequest(mcpCall, round + 1, { inputResponses: read.responses });
  const requestState = openState(await call.secret(), ownerOf(mcpCall, read.rows), sealedState);
  if (requestState === undefined) {
    return failed(
      `The state of the call of the MCP server "${server.name}" does not belong to this question, so nothing was sent`,
    );
  }
  return sendRequest(mcpCall, round + 1, { inputResponses: read.responses, requestState });
}

type Responses = Readonly<Record<string, PushedAnswer>>;

async function answerOverConnection(call: McpCall, round: number, responses: Responses): Promise<Exchange> {
  const next = await answerHeld(call.call.id, round, responses[pushedKey] ?? { action: "cancel" });
  if (next) return exchangeOf(call, round + 1, next);
  return failed(
    `The MCP server "${call.server.name}" asked over a connection that was lost before the answer came, so the answer was not delivered. The call may have run in part. Do not repeat it without checking its effect.`,
  );
}

/**
 * Repeats a call that the server refused until addresses were opened. If an address was not opened, the call ends here,
 * because the server does not accept a decline.
 */
async function callAgain(call: McpCall, round: number, responses: Responses): Promise<Exchange> {
  const actions = Object.values(responses).map(({ action }) => action);
  if (actions.every((action) => action === "accept")) return sendRequest(call, round + 1);
  const why = actions.includes("decline")
    ? "A person declined to open it"
    : "Nobody opened it: the question was cancelled, withdrawn, or expired";
  return failed(
    `The MCP server "${call.server.name}" refuses the call until a person has opened an address. ${why}. The call was not sent again.`,
  );
}

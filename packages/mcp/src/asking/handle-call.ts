import { type Asks, type Exchange, exchangeSchema } from "./exchange.js";
import { failed } from "./exchange-of.js";
import { abandonHeld, whenOver } from "./held-calls.js";
import type { AskedRound, McpCall } from "./mcp-call.js";
import { sendAnswers, sendRequest } from "./send-answers.js";

/** Rounds of questions in one call. The protocol's SDK has the same limit. */
const maxRounds = 10;
/**
 * Pauses before repeated attempts if the server cannot be reached when the answers arrive: about 20 minutes in total.
 */
const patience = ["10s", "30s", "1m", "5m", "15m"];

/**
 * Runs one call of a server's tool to its end. Each request is a step. Questions of the server wait in the inbox like
 * an agent's questions, and then the same request is sent again with the answers.
 */
export async function handleCall(mcpCall: McpCall): Promise<Exchange & { kind: "done" | "failed" }> {
  const result = await callToItsEnd(mcpCall);
  abandonHeld(mcpCall.call.id);
  return result;
}

async function callToItsEnd(mcpCall: McpCall): Promise<Exchange & { kind: "done" | "failed" }> {
  const { call, server } = mcpCall;
  const step = async (name: string, work: () => Promise<Exchange>): Promise<Exchange> =>
    exchangeSchema.parse(await call.step.run(`countersign:mcp:${call.id}:${name}`, work));

  let exchange = await step("call:0", () => sendRequest(mcpCall, 0));
  for (let round = 0; exchange.kind === "asks"; round++) {
    if (round === maxRounds)
      return failed(`The MCP server "${server.name}" asked more than ${maxRounds} times in one call`);
    const asks = exchange;
    const asked = await ask(mcpCall, round, asks);
    const decisions = await call.decisions(round, asked);
    const send = () => sendAnswers(mcpCall, { round, asks, asked: asked.asked, decisions });
    exchange = await step(`call:${round + 1}`, send);
    for (const [attempt, pause] of patience.entries()) {
      if (exchange.kind !== "unreachable") break;
      await call.step.sleep(`countersign:mcp:${call.id}:pause:${round}:${attempt}`, pause);
      exchange = await step(`call:${round + 1}:${attempt + 1}`, send);
    }
  }
  if (exchange.kind !== "unreachable") return exchange;
  return failed(
    `The MCP server "${server.name}" could not be reached, so nothing was sent. You may call the tool again later.`,
  );
}

async function ask(
  { call, server }: McpCall,
  round: number,
  { questions, resumes }: Asks,
): Promise<AskedRound> {
  if (questions.length === 0) return { requestId: "", asked: [] };
  const output: unknown = await call.step.run(`countersign:mcp:${call.id}:ask:${round}`, async () => {
    const held = resumes === "connection";
    const maxTimeoutMs = held ? server.holdMs : undefined;
    const asked = await call.ask(round, questions, {
      server: server.name,
      terms: server.questions,
      maxTimeoutMs,
    });
    if (held) whenOver(call.id, () => call.withdraw(asked));
    return asked;
  });
  return output as AskedRound;
}

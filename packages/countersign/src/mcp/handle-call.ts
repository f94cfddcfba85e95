import { awaitDecisions } from "../gate/await-decisions.js";
import type { Decided } from "../orchestrator/decided.js";
import { type AskedQuestion, askPeople, idsOfRound } from "./ask-people.js";
import { type Asks, type Exchange, exchangeSchema } from "./exchange.js";
import { failed } from "./exchange-of.js";
import { abandonHeld, whenOver } from "./held-calls.js";
import type { McpCall } from "./mcp-call.js";
import { sendAnswers, sendRequest } from "./send-answers.js";
import { withdrawQuestion } from "./withdraw-question.js";

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
export async function handleCall(call: McpCall): Promise<Exchange & { kind: "done" | "failed" }> {
  const result = await callToItsEnd(call);
  abandonHeld(call.callId);
  return result;
}

async function callToItsEnd(call: McpCall): Promise<Exchange & { kind: "done" | "failed" }> {
  const { run, callId } = call;
  const step = async (name: string, work: () => Promise<Exchange>): Promise<Exchange> =>
    exchangeSchema.parse(await run.step.run(`countersign:mcp:${callId}:${name}`, work));

  let exchange = await step("call:0", () => sendRequest(call, 0));
  for (let round = 0; exchange.kind === "asks"; round++) {
    if (round === maxRounds)
      return failed(`The MCP server "${call.server.name}" asked more than ${maxRounds} times in one call`);
    const asks = exchange;
    const { requestId, asked } = await ask(call, round, asks);
    const decisions = await answersTo(call, round, { requestId, asked });
    const send = () => sendAnswers(call, { round, asks, asked, decisions });
    exchange = await step(`call:${round + 1}`, send);
    for (const [attempt, pause] of patience.entries()) {
      if (exchange.kind !== "unreachable") break;
      await run.step.sleep(`countersign:mcp:${callId}:pause:${round}:${attempt}`, pause);
      exchange = await step(`call:${round + 1}:${attempt + 1}`, send);
    }
  }
  if (exchange.kind !== "unreachable") return exchange;
  return failed(
    `The MCP server "${call.server.name}" could not be reached, so nothing was sent. You may call the tool again later.`,
  );
}

/** The questions of one round, and the request under which people answer them. */
interface AskedRound {
  requestId: string;
  asked: AskedQuestion[];
}

async function ask(call: McpCall, round: number, { questions, resumes }: Asks): Promise<AskedRound> {
  if (questions.length === 0) return { requestId: "", asked: [] };
  const { run, callId, runtime } = call;
  const output: unknown = await run.step.run(`countersign:mcp:${callId}:ask:${round}`, async () => {
    const held = resumes === "connection";
    const asked = await askPeople(call, round, questions, { held });
    const { requestId } = await idsOfRound(call, round, []);
    if (held) whenOver(callId, () => withdrawQuestion(runtime, requestId));
    return { requestId, asked };
  });
  return output as AskedRound;
}

async function answersTo(
  { run, callId, runtime }: McpCall,
  round: number,
  { requestId, asked }: AskedRound,
): Promise<Decided[]> {
  if (asked.every(({ proposed }) => proposed === null)) return [];
  return awaitDecisions(runtime, run.step, `mcp:${callId}:${round}`, requestId);
}

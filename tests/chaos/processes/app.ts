// The agent's app: agents of three kinds behind Countersign's gate, and Countersign's own functions.
import {
  anthropic,
  createAgent,
  createNetwork,
  createState,
  openai,
  type StateData,
  type Tool,
} from "@inngest/agent-kit";
import { serve } from "inngest/edge";
import { requester } from "../scenario/people.js";
import { agentKinds } from "./agents.js";
import { messageData, messageEvent, openInstance, relayEvent } from "./instance.js";
import { tellLedger } from "./ledger.js";
import { serveAndTell, setting } from "./serve.js";
import { chaosTools } from "./tools.js";

const { inngest, countersign } = openInstance();
const modelUrl = `${setting("MODEL_URL")}/v1`;
const models = {
  openai: () => openai({ model: "scripted", apiKey: "test", baseUrl: modelUrl }),
  anthropic: () =>
    anthropic({
      model: "scripted",
      apiKey: "test",
      baseUrl: modelUrl,
      defaultParameters: { max_tokens: 1000 },
    }),
};

const agentRun = inngest.createFunction(
  { id: "agent", retries: 20, triggers: [{ event: messageEvent }] },
  async ({ event, runId, step }) => {
    const { run, threadId, format, agent, previews } = messageData.parse(event.data);
    const tools = chaosTools({ previews });
    await tellLedger("runs", { run, runId });
    const message = `chaos ${run}`;
    if (agent === "agentkit") {
      await runNetwork(message, { threadId, format, tools });
    } else {
      const context = { requester: { id: requester }, threadId };
      const gate = countersign.gate({ step, context, agentName: "clerk" });
      const modelUrl = setting("MODEL_URL");
      await agentKinds[agent]({ gate, step, message, format, modelUrl, tools });
    }
    return "done";
  },
);

interface NetworkRun {
  threadId: string;
  format: keyof typeof models;
  tools: Tool.Any[];
}

async function runNetwork(message: string, { threadId, format, tools }: NetworkRun): Promise<void> {
  const agent = createAgent<StateData>({
    name: "clerk",
    system: "You are a clerk.",
    tools,
    model: models[format](),
  });
  const network = createNetwork<StateData>({
    name: "office",
    agents: [agent],
    maxIter: 10,
    history: countersign.history,
    router: ({ lastResult, callCount }) =>
      callCount === 0 || lastResult?.output.some((part) => part.type === "tool_call") ? agent : undefined,
  });
  countersign.guard(network);
  await network.run(message, { state: createState<StateData>({}, { threadId }) });
}

const relay = countersign.functions.find((fn) => fn.id() === "countersign-relay");
if (!relay) throw new Error("Countersign has no relay");
/** Runs the relay more often than every minute, so that it runs often in a short run. */
const callRelay = inngest.createFunction(
  { id: "call-relay", retries: 0, triggers: [{ event: relayEvent }] },
  ({ step }) => step.invoke("relay", { function: relay, data: {} }),
);

const handler = serve({
  client: inngest,
  functions: [...countersign.functions, agentRun, callRelay],
  serveOrigin: setting("APP_URL"),
});
serveAndTell((request) => handler(request));

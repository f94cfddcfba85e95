import { type AgentMessageChunk, createNetwork, type StateData } from "@inngest/agent-kit";
import { freshPostgres } from "../databases.js";
import { openHarness } from "../harness.js";
import type { HarnessOptions, RunWorld } from "../harness-options.js";

type StreamedDeskOptions = Omit<HarnessOptions, "database" | "run"> & {
  simulateChunking?: boolean;
  /** Receives what AgentKit and Countersign publish. */
  publish?: (chunk: AgentMessageChunk) => unknown;
};

/** An installation whose network is streamed, and every chunk that it has published, also in replays. */
export async function openStreamedDesk({ simulateChunking, publish, ...options }: StreamedDeskOptions) {
  const database = await freshPostgres();
  const chunks: AgentMessageChunk[] = [];
  const run = async ({ countersign, agent, state, message }: RunWorld) => {
    agent.tools.set("request_human_input", countersign.requestHumanInput());
    const network = createNetwork<StateData>({
      name: "desk",
      agents: [agent],
      maxIter: 8,
      history: countersign.history,
      router: ({ lastResult, callCount }) =>
        callCount === 0 || lastResult?.output.some((part) => part.type === "tool_call") ? agent : undefined,
    });
    countersign.guard(network);
    const streaming = countersign.streaming(async (chunk) => {
      chunks.push(chunk);
      await publish?.(chunk);
    });
    await network.run(message, {
      state,
      streaming: { ...streaming, ...(simulateChunking && { simulateChunking }) },
    });
  };
  const harness = await openHarness({ ...options, database, run });
  return {
    harness,
    chunks,
    /** Each chunk once, as a client keeps them: by its place and its id. */
    seen() {
      const known = new Set<string>();
      return chunks.filter(({ id, event, sequenceNumber, data }) => {
        const key = [data.messageId, data.partId, event, sequenceNumber, id].join("|");
        if (known.has(key)) return false;
        known.add(key);
        return true;
      });
    },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

export type StreamedDesk = Awaited<ReturnType<typeof openStreamedDesk>>;

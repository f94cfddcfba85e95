import type { Conversation, Reply, UnstableOptions } from "@countersign/testing";
import type {
  Agent,
  anthropic,
  createAgent,
  Network,
  openai,
  State,
  StateData,
  Tool,
} from "@inngest/agent-kit";
import type { Policy } from "countersign";
import type { Countersign, CountersignOptions } from "countersign/agent-kit";
import type { Context } from "inngest";
import type { TestDatabase } from "./databases.js";
import type { Store } from "./store.js";

export interface HarnessOptions
  extends Pick<UnstableOptions, "onEvent" | "onRequest" | "onEngineRequest" | "replaying" | "served"> {
  database: TestDatabase;
  tools: Tool.Any[];
  /** The model's reply to a conversation, which holds everything that the model was sent. */
  reply: (conversation: Conversation) => Reply;
  /** The provider format of the model, or a function that returns it for a message. */
  format?: Format | ((message: string) => Format);
  transport?: "in-process" | "http";
  policy?: Policy;
  /** Further options of the instance. */
  countersign?: Partial<CountersignOptions>;
  /** Profile that the network is bound to. */
  profile?: string;
  checkpointing?: boolean;
  /** Changes the network before it runs, for tests of further features of AgentKit. */
  network?: (
    network: TestNetwork,
    step: unknown,
    countersign: Countersign,
  ) => TestNetwork | undefined | undefined;
  agent?: Partial<Parameters<typeof createAgent<StateData>>[0]>;
  /** The body of the agent's function. @default runs a guarded network */
  run?: (world: RunWorld) => Promise<unknown>;
  /** Wraps the store, so that a test can act between two of its operations. */
  between?: (store: Store) => Store;
  /** As in the options of the agent's function. @default Inngest's own */
  optimizeParallelism?: boolean;
}

type Format = "openai" | "anthropic";

/** What the body of an agent's function gets. */
export interface RunWorld {
  countersign: Countersign;
  /** An unguarded agent with the harness's model and tools. */
  agent: Agent<StateData>;
  /** The state of the thread that the message is for. */
  state: State<StateData>;
  message: string;
  /** The scripted model in each provider's format. */
  models: Record<Format, () => ReturnType<typeof openai | typeof anthropic>>;
  /** Where it listens, and the format for this message. */
  modelUrl: string;
  format: Format;
  step: Context["step"];
  group: Context["group"];
  /** How often the present step of the run has been tried before. */
  attempt: number;
}

export type TestNetwork = Network<StateData>;

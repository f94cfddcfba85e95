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
import type { Countersign, CountersignOptions, Policy } from "countersign";
import type { Conversation, Reply } from "countersign/testing";
import type { Context, Inngest } from "inngest";
import type { TestDatabase } from "./databases.js";
import type { SentEvent } from "./recording-inngest.js";
import type { Store } from "./store.js";

export interface HarnessOptions {
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
  /** Decides for each event that the app sends, in order, whether it is delivered, lost or delivered twice. */
  onEvent?: (event: SentEvent) => Fate | Promise<Fate>;
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
  /** The functions that the app serves. @default all */
  served?: (functions: Countersign["functions"], inngest: Inngest.Any) => Countersign["functions"];
  /** Wraps the app's handling of the engine's requests. */
  onRequest?: Between;
  /** Wraps the engine's handling of the app's requests to its API. */
  onEngineRequest?: Between;
  /** The engine's seed for disorder. @default the environment variable `ENGINE_DISORDER` */
  disorder?: string;
  /** @default the environment variable `ALWAYS_REPLAYING`, unless `checkpointing` is given */
  replaying?: Replaying;
}

type Format = "openai" | "anthropic";

export type Handle = (request: Request) => Promise<Response>;
type Between = (request: Request, handle: Handle) => Promise<Response>;

/**
 * Every step forces a replay by a new app for each request, so that nothing in memory outlives a step. With `each-step`,
 * the request that finds a step runs it. With `each-planned-step`, it only plans the step, and another request runs it.
 */
export type Replaying = "each-step" | "each-planned-step";

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

/** Whether an event is delivered, lost or delivered twice. */
export type Fate = "deliver" | "drop" | "twice";

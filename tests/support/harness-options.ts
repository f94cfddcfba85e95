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
import type { Store } from "./store.js";

export interface HarnessOptions {
  database: TestDatabase;
  tools: Tool.Any[];
  /** What the model answers; the conversation is everything it was sent. */
  reply: (conversation: Conversation) => Reply;
  /** Whose format the model speaks, or in which a message is to be answered. */
  format?: Format | ((message: string) => Format);
  transport?: "in-process" | "http";
  policy?: Policy;
  /** Further options of the instance. */
  countersign?: Partial<CountersignOptions>;
  /** Profile that the network is bound to. */
  profile?: string;
  checkpointing?: boolean;
  /** What becomes of events that the app sends, in order: delivered, lost on the way, or delivered twice. */
  onEvent?: (event: { name: string; data: Record<string, unknown> }) => Fate | Promise<Fate>;
  /** Changes the network before it runs, for tests of what else AgentKit allows. */
  network?: (
    network: TestNetwork,
    step: unknown,
    countersign: Countersign,
  ) => TestNetwork | undefined | undefined;
  agent?: Partial<Parameters<typeof createAgent<StateData>>[0]>;
  /** What the agent's function does instead of running a guarded network. */
  run?: (world: RunWorld) => Promise<unknown>;
  /** Stands between Countersign and its store, for what happens between two of its verbs. */
  between?: (store: Store) => Store;
  /** The functions that the app serves. @default all */
  served?: (functions: Countersign["functions"], inngest: Inngest.Any) => Countersign["functions"];
  /** Stands between the engine and the app. */
  onRequest?: Between;
  /** Stands between the app and the engine's API. */
  onEngineRequest?: Between;
  /** The environment's `ALWAYS_REPLAYING` where neither this nor `checkpointing` is said. */
  replaying?: Replaying;
}

type Format = "openai" | "anthropic";

export type Handle = (request: Request) => Promise<Response>;
type Between = (request: Request, handle: Handle) => Promise<Response>;

/**
 * Every step forces a replay by an app that was made for this one request, so that nothing in memory outlives a step:
 * either the request that finds a step runs it, or it only plans it and another one runs it.
 */
export type Replaying = "each-step" | "each-planned-step";

/** What the body of an agent's function has at hand. */
export interface RunWorld {
  countersign: Countersign;
  /** An agent with the harness's model and tools that nobody guards yet. */
  agent: Agent<StateData>;
  /** The state of the thread that the message is for. */
  state: State<StateData>;
  message: string;
  /** The scripted model by another provider's format. */
  models: Record<Format, () => ReturnType<typeof openai | typeof anthropic>>;
  step: Context["step"];
  group: Context["group"];
  /** How often the present step of the run has been tried before. */
  attempt: number;
}

export type TestNetwork = Network<StateData>;

/** What becomes of an event on its way. */
export type Fate = "deliver" | "drop" | "twice";

import type { Policy } from "@countersign/policy/internal/policy/policy";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { createAgent, Network, StateData, Tool } from "@inngest/agent-kit";
import type { RunContext, Store } from "countersign";
import type { ContextInput, Countersign, CountersignOptions } from "countersign/agent-kit";
import type { Inngest, InngestFunction } from "inngest";
import type { Conversation, ModelFormat, Reply } from "../scripted-model/index.js";
import type { ScriptedAdapter } from "./model-of-format.js";
import type { UnstableOptions } from "./unstable.js";

/** What the harness provides for your own networks and functions. */
export interface HarnessParts {
  /** The client whose engine runs in this process. */
  inngest: Inngest;
  countersign: Countersign;
  /** The scripted model in the harness's `format`, for `createAgent({ model })`. */
  model: ScriptedAdapter;
  /** The scripted model in each format, for networks whose agents use different providers. */
  models: Record<ModelFormat, ScriptedAdapter>;
}

/** The requester and tenant of one message. */
export interface SayOptions<S extends StateData> {
  /** The conversation to continue, or an id for a new one. @default a new one */
  threadId?: string;
  /** The state that the network starts with. @default the harness's `state` */
  state?: S;
  /** @default the harness's `requester`; not possible together with `context`, which names the requester */
  requester?: Requester;
  /** @default the harness's `tenantId`; not possible together with `context`, which names the tenant */
  tenantId?: string;
  /** Rules for this thread alone, which can only tighten. @default the harness's `threadRules` */
  threadRules?: readonly unknown[];
}

/** Selects the calls of one tenant, thread or run; without a field, all calls in the database. */
export interface CallFilter {
  tenantId?: string;
  threadId?: string;
  runId?: string;
}

/** The person who talks to the agent. */
export interface Requester {
  id: string;
  roles?: readonly string[];
}

/** A person who decides. */
export type TestPerson = Omit<Principal, "tenantId"> & {
  /** @default the harness's `tenantId` */
  tenantId?: string;
};

/** What to test. Set `tools` or `network`, or `functions`, or `functions` together with one of the others. */
export interface TestHarnessOptions<S extends StateData = StateData> {
  /** The policy under test, in code or opened from its file. @default tools marked with `needsApproval()` wait, others run */
  policy?: Policy | undefined;
  /** Tools of the harness's own agent; their handlers run. */
  tools?: Tool.Any[];
  /** Further options of the harness's own agent, such as `mcpServers`. */
  agent?: Partial<Parameters<typeof createAgent<StateData>>[0]>;
  /**
   * Creates your network, with all of its agents, router, history and MCP servers; the harness guards it. It must
   * create new agents on each call: the harness calls it once at the start, and again after a simulated crash.
   */
  network?: (parts: HarnessParts) => Network<S>;
  /** The state that each run starts with, or a function that creates it. @default {} */
  state?: NoInfer<S> | (() => NoInfer<S>);
  /**
   * Your application's `context`, as `createCountersign` takes it.
   * @default works for `requester` and `tenantId`
   */
  context?: (input: ContextInput<NoInfer<S>>) => RunContext;
  /** Your own Inngest functions: agents that they run, or `requireApproval`. Start them with `send`. */
  functions?: (parts: HarnessParts) => InngestFunction.Any[];
  /** What the model answers to a conversation. A transcript that a provider would refuse fails the run. */
  reply: (conversation: Conversation) => Reply | Promise<Reply>;
  /** The wire format of the harness's model. @default "openai" */
  format?: ModelFormat;
  /**
   * The people who decide, by names of your own. @default `approver`, who has every role that the rules of the policy
   * name
   */
  people?: Record<string, TestPerson>;
  /** The person who talks to the agent. @default { id: "requester" }, without roles */
  requester?: Requester;
  /** @default "test" */
  tenantId?: string;
  /** Rules for every thread, as a policy file has them; they can only tighten. @default none */
  threadRules?: readonly unknown[];
  /** Further options of the instance. */
  countersign?: Partial<Omit<CountersignOptions, "inngest" | "store" | "policy" | "tenantId" | "context">>;
  /**
   * Opens your own database. Pass `clockOffset` to the store, because `advance` moves its time by it. The harness
   * migrates the database and closes the store. The harness's engine has its own database.
   * @default an embedded Postgres in memory, empty for each harness
   */
  store?: (options: { clockOffset: () => number }) => Store;
  /** The time limit of each wait: milliseconds or a duration. @default "3s" */
  patience?: string | number;
  /** Options that may change in any version. */
  unstable?: UnstableOptions;
}

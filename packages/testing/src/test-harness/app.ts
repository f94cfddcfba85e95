import { AsyncLocalStorage } from "node:async_hooks";
import { didYouMean } from "@countersign/policy/internal/shared/did-you-mean";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { consoleLogger, type Logger } from "@countersign/policy/internal/shared/logger";
import { createAgent, createNetwork, createState, type StateData } from "@inngest/agent-kit";
import type { RunContext, Store } from "countersign";
import type { ContextInput, Countersign } from "countersign/agent-kit";
import { createCountersign } from "countersign/agent-kit";
import { Inngest } from "inngest";
import { serve } from "inngest/edge";
import { scriptedModelOf } from "./model-of-format.js";
import type { HarnessParts, SayOptions, TestHarnessOptions } from "./options.js";
import type { Redeployed } from "./unstable.js";

/** The event of one message to the agent. The message itself stays in memory. */
export const messageEvent = "countersign-test/message";

/** The function that runs the harness's network. */
export const talkFunction = "countersign-test-agent";

/** One message with its requester and tenant. */
export interface Message<S extends StateData> extends SayOptions<S> {
  text: string;
  threadId: string;
}

/**
 * The message that started the current run. All harnesses share one storage, because each storage slows down every
 * promise of the process.
 */
const currentMessage = new AsyncLocalStorage<
  Pick<SayOptions<StateData>, "requester" | "tenantId" | "threadRules">
>();

/** The app's dependencies and its message listener. */
export interface AppWorld<S extends StateData> {
  id: string;
  store: Store;
  baseUrl: string;
  fetch: typeof fetch;
  messages: ReadonlyMap<string, Message<S>>;
  /** What redeployments have changed so far. */
  changes: Redeployed;
  /** Whether the test has ended. */
  isClosing: () => boolean;
}

export interface App<S extends StateData> {
  inngest: Inngest;
  countersign: Countersign;
  handle: (request: Request) => Promise<Response>;
  /** The run context of a message, from the option `context`. */
  contextOf: (message: Message<S>) => RunContext;
}

/** The installation of one process: client, instance, network and functions. */
export function createApp<S extends StateData>(
  options: TestHarnessOptions<S>,
  { id, store, baseUrl, fetch, messages, changes, isClosing }: AppWorld<S>,
): App<S> {
  const { client, replaying, served } = options.unstable ?? {};
  const inngest = new Inngest({
    isDev: true,
    logger: silent,
    ...client,
    ...(replaying === undefined ? {} : { checkpointing: false }),
    id,
    baseUrl,
    fetch,
  });
  const context = contextFrom(options);
  const countersign = createCountersign<S>({
    ...options.countersign,
    logger: silentOnce(isClosing, options.countersign?.logger ?? consoleLogger),
    inngest,
    store,
    ...(options.policy && { policy: options.policy }),
    tenantId: tenantOf(options),
    context,
    ...changes,
  });
  const models = { openai: scriptedModelOf("openai"), anthropic: scriptedModelOf("anthropic") };
  const parts: HarnessParts = { inngest, countersign, models, model: models[options.format ?? "openai"] };
  const network = networkFrom(options, parts);
  const stateOf = (message: Message<S>) =>
    createState<S>(initialState(options, message), { threadId: message.threadId });

  const talk =
    network &&
    inngest.createFunction(
      { id: talkFunction, retries: 0, triggers: [{ event: messageEvent }] },
      async ({ event }) => {
        const message = messages.get(String(event.data.id));
        if (!message) throw new Error("The message belongs to another harness");
        const ended = await currentMessage.run(message, () =>
          network.run(message.text, { state: stateOf(message) }),
        );
        return ended.state.data;
      },
    );
  const functions = [
    ...(served?.(countersign.functions, inngest) ?? countersign.functions),
    ...(talk ? [talk] : []),
    ...(options.functions?.(parts) ?? []),
  ];
  return {
    inngest,
    countersign,
    handle: serve({ client: inngest, functions }),
    contextOf: (message) => currentMessage.run(message, () => context({ state: stateOf(message) })),
  };
}

const optionNames: Record<keyof TestHarnessOptions, true> = {
  policy: true,
  tools: true,
  agent: true,
  network: true,
  state: true,
  context: true,
  functions: true,
  reply: true,
  format: true,
  people: true,
  requester: true,
  tenantId: true,
  threadRules: true,
  countersign: true,
  store: true,
  patience: true,
  unstable: true,
};

/** @throws CountersignError `invalid_option` for options that are unknown or contradict each other. */
export function requireFittingOptions<S extends StateData>(options: TestHarnessOptions<S>): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(optionNames, name));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, Object.keys(optionNames));
    throw invalidOption(unknown, `is not an option of createTestHarness()${hint}`);
  }
  if (options.network && (options.tools || options.agent)) {
    throw invalidOption(
      "tools and agent",
      "configure the harness's own agent; add them to the agents of `network` instead",
    );
  }
  if (options.context && options.requester) {
    throw invalidOption("requester", "is provided by `context`; omit one of them");
  }
}

export function tenantOf({ tenantId }: Pick<TestHarnessOptions, "tenantId">): string {
  return tenantId ?? "test";
}

/** Your network, or one of a single agent with your tools. */
function networkFrom<S extends StateData>(options: TestHarnessOptions<S>, parts: HarnessParts) {
  const { countersign } = parts;
  if (options.network) return countersign.guard(options.network(parts));
  if (!options.tools && !options.agent) return undefined;
  const agent = createAgent<S>({
    name: "agent",
    system: "You are being tested.",
    tools: options.tools ?? [],
    model: parts.model,
    ...(options.agent as Partial<Parameters<typeof createAgent<S>>[0]> | undefined),
  });
  return countersign.guard(
    createNetwork<S>({
      name: "test",
      agents: [agent],
      maxIter: 20,
      history: countersign.history,
      router: ({ lastResult, callCount }) =>
        callCount === 0 || lastResult?.output.some(({ type }) => type === "tool_call") ? agent : undefined,
    }),
  );
}

/** Every execution of a run begins with the same state, even if an earlier execution changed it. */
function initialState<S extends StateData>(options: TestHarnessOptions<S>, message: Message<S>): S {
  const state = message.state ?? options.state;
  if (typeof state === "function") return state();
  return structuredClone(state ?? ({} as S));
}

function contextFrom<S extends StateData>(
  options: TestHarnessOptions<S>,
): (input: ContextInput<S>) => RunContext {
  return (input) => {
    const message = currentMessage.getStore();
    const rules = message?.threadRules ?? options.threadRules ?? [];
    const own: RunContext = options.context?.(input) ?? {
      requester: message?.requester ?? options.requester ?? { id: "requester" },
      ...(message?.tenantId !== undefined && { tenantId: message.tenantId }),
    };
    return rules.length === 0 ? own : { ...own, threadRules: [...(own.threadRules ?? []), ...rules] };
  };
}

export function invalidOption(name: string, problem: string): CountersignError {
  return new CountersignError("invalid_option", `${name}: ${problem}`);
}

/** The same logger until the test has ended. What is still under way then fails, and would warn of it in the next test. */
function silentOnce(isClosing: () => boolean, logger: Logger): Logger {
  // The instance says what is wrong with it.
  if (typeof logger !== "object" || logger === null) return logger;
  return new Proxy(logger, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      return isClosing() && typeof value === "function" ? () => {} : value;
    },
  });
}

const silent = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} };

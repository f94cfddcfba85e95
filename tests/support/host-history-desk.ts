import { createNetwork, type HistoryConfig, type StateData } from "@inngest/agent-kit";
import { allow, ask, definePolicy, deny } from "countersign";
import type { ApprovalHistory } from "countersign/types";
import { freshPostgres } from "./databases.js";
import { deskTools, inTurns } from "./desk-tools.js";
import { eventually, type Harness, openHarness } from "./harness.js";
import type { HarnessOptions, RunWorld } from "./harness-options.js";
import { type HostCall, openHostHistory } from "./host-history.js";

/** The call that the agent proposes first. */
export const refund = { name: "refund", input: { id: "A-1", amount: 80 } };

const policy = definePolicy({
  tools: {
    refund: ask({ decisions: ["approve", "edit", "deny"], editable: ["amount"] }),
    lookup: allow(),
    email: deny(),
    erase: deny(),
  },
});

export type HostHistory = HistoryConfig<StateData> & ApprovalHistory;

type Options = Partial<HarnessOptions> & {
  /** What the run does with the host's history. @default runs a network that has it */
  body?: (world: RunWorld, history: HostHistory) => Promise<unknown>;
  /** How the first calls of the host's methods fail. */
  failures?: readonly (Error | "hang")[];
};

/** An installation with a host's own history and a log, to which somebody has said something. */
export async function openHistoryDesk({
  body = runNetwork,
  failures = [],
  countersign,
  ...options
}: Options = {}) {
  const database = await freshPostgres();
  const host = await openHostHistory(database.admin);
  host.fail(...failures);
  const logged: { message: string; fields: unknown }[] = [];
  const log = (message: string, fields?: unknown) => void logged.push({ message, fields });
  const desk = deskTools();
  const harness = await openHarness({
    database,
    policy,
    tools: desk.tools,
    reply: inTurns({ toolCalls: [refund] }),
    countersign: { logger: { info: () => {}, warn: log, error: log }, ...countersign },
    // A new process for each step would not know a network that only the function makes.
    checkpointing: true,
    run: (world) => body(world, host.history),
    ...options,
  });
  const { threadId, runId } = await harness.say("Refund A-1");
  return {
    harness,
    host,
    logged,
    effects: desk.effects,
    threadId,
    runId,
    /** The messages to the host about a call, once it is known of each whether the host gets it. */
    deliveries: (id: string) =>
      eventually(async () => {
        const { body } = await harness.call("finance", `/approvals/${id}/deliveries`);
        const items: { event: string; state: string; recipient: string | null }[] = body.items;
        return items.every(({ recipient }) => recipient !== null) ? items : undefined;
      }, "every message has its recipient"),
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

export async function runNetwork(
  { countersign, agent, state, message }: RunWorld,
  history: object,
  name = "support",
): Promise<unknown> {
  const network = createNetwork<StateData>({
    name,
    agents: [agent],
    maxIter: 8,
    history,
    router: ({ lastResult, callCount }) =>
      callCount === 0 || lastResult?.output.some((part) => part.type === "tool_call") ? agent : undefined,
  });
  await countersign.guard(network).run(message, { state });
  return "done";
}

/** Waits until the host's methods have succeeded this often, while the relay runs every minute. */
export const told = ({ harness, host }: { harness: Harness; host: { calls: HostCall[] } }, count: number) =>
  harness.onceAtRest(async () => {
    if (host.calls.length >= count) return host.calls;
    await harness.clock.advance("5s");
    return undefined;
  }, `the host was told ${count} times`);

export const runHasEnded = (harness: Harness, runId: string) =>
  harness.onceAtRest(
    async () => ((await harness.runStatus(runId)).status === "Completed" ? true : undefined),
    "the run has ended",
  );

import type { Approval } from "countersign";
import { type AgentKind, agentKinds } from "../../chaos/processes/agents.js";
import type { TestDatabase } from "../../support/databases.js";
import { openHarness } from "../../support/harness.js";
import type { HarnessOptions, RunWorld } from "../../support/harness-options.js";
import { withoutRelay } from "../../support/without-relay.js";
import { finishedStepsAgain } from "./finished-steps.js";
import type { Scenario } from "./scenario.js";
import { stepsSeen } from "./steps-seen.js";

/** A way in which an engine may call the app, and the kind of agent if it is not AgentKit's. */
export type Way = Pick<HarnessOptions, "transport" | "replaying"> & {
  agent?: AgentKind;
  /** Asks for each step once more when it has ended. Only for steps that are planned. */
  finishedAgain?: true;
};

/** The outcome of a scenario without what differs each time: ids are numbered in order of appearance. */
export interface Outcome {
  steps: { fn: string; ids: string[] }[];
  approvals: object[];
  effects: unknown[];
  /** The messages sent to the model, request by request. */
  transcripts: unknown[];
  runs: unknown[];
  states: unknown[];
}

/** Plays a scenario in one way, to the end of everything that it started. */
export async function play(scenario: Scenario, way: Way, database: TestDatabase) {
  const { effects, ...options } = scenario.open();
  const { agent, finishedAgain, ...called } = way;
  const seen = stepsSeen();
  const again = finishedStepsAgain();
  const { onEngineRequest } = options;
  await using harness = await openHarness({
    ...options,
    ...called,
    ...(agent && { run: (world: RunWorld) => runAgent(agent, options.tools, world) }),
    database,
    served: withoutRelay,
    onRequest: (request, handle) => seen.ofApp(request, finishedAgain ? again.around(handle) : handle),
    onEngineRequest: (request, handle) =>
      seen.ofEngine(request, (tapped) =>
        onEngineRequest ? onEngineRequest(tapped, handle) : handle(tapped),
      ),
  });
  await scenario.play(harness);
  await harness.engine.idle();

  const runs = seen.runs();
  const all = await harness.store.listApprovals({ tenantId: "acme", limit: 200 });
  const approvals = all.filter(({ runId }) => runId !== null && seen.knows(runId)).sort(asProposed);
  const outcome: Outcome = {
    steps: runs.map(({ fn, ids }) => ({ fn, ids })).sort((a, b) => compare(a.fn, b.fn)),
    approvals: await Promise.all(
      approvals.map(async (approval) => ({
        ...summaryOf(approval),
        audit: (await harness.store.auditTrail("acme", approval.id)).map(({ type, actorId }) => [
          type,
          actorId,
        ]),
      })),
    ),
    effects,
    transcripts: harness.model.requests.map(({ body, status, error }) => [error ?? status, messagesOf(body)]),
    runs: await Promise.all(
      runs.map(async ({ id }) => {
        const { status, output } = await harness.runStatus(id);
        return [status, output];
      }),
    ),
    states: harness.states,
  };
  return {
    outcome: scenario.unordered
      ? sorted(withoutIds(withSortedKeys(outcome)))
      : withNumberedIds(withSortedKeys(outcome)),
    counts: seen.counts,
    again,
    statuses: approvals.map(({ status }) => status),
  };
}

/** Runs an agent that is not AgentKit's with the scenario's tools, and with the one that asks people. */
function runAgent(kind: AgentKind, tools: HarnessOptions["tools"], world: RunWorld): Promise<string> {
  const { countersign, step, state, message, modelUrl, format } = world;
  const context = { requester: { id: "requester" }, threadId: String(state.threadId) };
  const gate = countersign.gate({ step, context, agentName: "support" });
  const asksPeople = countersign.requestHumanInput({ approvers: { roles: ["finance"] } });
  return agentKinds[kind]({ gate, step, message, modelUrl, format, tools: [...tools, asksPeople] });
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function asProposed(a: Approval, b: Approval): number {
  return (
    compare(a.agentName ?? "", b.agentName ?? "") ||
    a.createdAt.getTime() - b.createdAt.getTime() ||
    a.position - b.position
  );
}

function summaryOf(approval: Approval) {
  const { toolName, inputJson, edited, status, withdrawalCause, decision, responseJson, outcomeJson } =
    approval;
  return {
    toolName,
    inputJson,
    edited: edited?.inputJson ?? null,
    status,
    withdrawalCause,
    decision: decision && [decision.type, decision.decidedBy, decision.reason],
    responseJson,
    outcomeJson,
  };
}

const messagesOf = (body: unknown): unknown =>
  typeof body === "object" && body !== null ? Reflect.get(body, "messages") : body;

/**
 * With the keys of all objects sorted, also of those in JSON texts: their order depends on whether a request ran a step or got its
 * output from the engine, and means nothing.
 */
function withSortedKeys<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_key, item: unknown) => {
    if (typeof item === "string" && /^[[{]["\]}[{]/.test(item))
      return withSortedKeys(JSON.parse(item) as unknown);
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([one], [other]) => compare(one, other)));
  });
}

const digests = /\b[0-9a-f]{64}\b/g;
const times = /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const ids = /thr_[0-9a-f-]{36}|(?:apr|req|res|call|toolu)_[\w-]{22}/g;

function withoutIds(outcome: Outcome): Outcome {
  const text = JSON.stringify(outcome)
    .replaceAll(digests, "digest")
    .replaceAll(times, "time")
    .replaceAll(ids, (id) => id.slice(0, id.indexOf("_")));
  return JSON.parse(text) as Outcome;
}

function sorted({ steps, ...rest }: Outcome): Outcome {
  const byText = <T>(list: T[]) => list.toSorted((a, b) => compare(JSON.stringify(a), JSON.stringify(b)));
  return {
    ...rest,
    steps: byText(steps.map(({ fn, ids }) => ({ fn, ids: ids.toSorted() }))),
    transcripts: byText(rest.transcripts),
    runs: byText(rest.runs),
  };
}

function withNumberedIds(outcome: Outcome): Outcome {
  const known = new Map<string, string>();
  const numbered = JSON.stringify(outcome)
    .replaceAll(digests, "digest")
    .replaceAll(times, "time")
    .replaceAll(ids, (id) => {
      const kind = id.slice(0, id.indexOf("_"));
      const name =
        known.get(id) ?? `${kind} ${[...known.values()].filter((n) => n.startsWith(kind)).length + 1}`;
      known.set(id, name);
      return name;
    });
  return JSON.parse(numbered) as Outcome;
}

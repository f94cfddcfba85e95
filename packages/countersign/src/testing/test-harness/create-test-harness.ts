import { randomUUID } from "node:crypto";
import type { StateData } from "@inngest/agent-kit";
import type { Approval } from "../../approval/approval.js";
import { isOver } from "../../approval/status.js";
import type { AuditEntry } from "../../audit/audit-entry.js";
import type { ThreadMessage } from "../../history/read-messages.js";
import type { ThreadView } from "../../history/threads.js";
import type { Countersign } from "../../instance/countersign.js";
import { type CrashPoint, crashPoints } from "../../shared/crash-point.js";
import { didYouMean } from "../../shared/did-you-mean.js";
import { CountersignError } from "../../shared/errors.js";
import { storeVerbs } from "../../store/store.js";
import type { ScriptedModel } from "../scripted-model/index.js";
import { scriptedModel } from "../scripted-model/index.js";
import {
  type App,
  createApp,
  invalidOption,
  type Message,
  messageEvent,
  requireFittingOptions,
  talkFunction,
  tenantOf,
} from "./app.js";
import { createCalls, isSettled } from "./calls.js";
import { transcriptProblems } from "./check-transcripts.js";
import { giveBackDatabase, takeDatabase } from "./databases.js";
import { modelFetch } from "./model-of-format.js";
import type { SayOptions, TestHarnessOptions } from "./options.js";
import { type Choice, createPeople, type Outcome, type UndoChoice } from "./people.js";
import { refusedCalls } from "./refused-calls.js";
import { createSimulatedProcess, type PlannedFault, ProcessDied, storeOf } from "./simulated-process.js";
import {
  type AtLeast,
  describeRun,
  hasEnded,
  type RunView,
  type StartedRun,
  type StartedTurn,
} from "./started-run.js";
import { createUntil } from "./until.js";
import { type CallFilter, untilCallsWait, waitingCalls } from "./waiting-calls.js";
import { createWakeUpFilter } from "./wake-up-filter.js";

/** A whole installation in this process, and the actions of a test. Each wait gives up after the option `patience`. */
export interface TestHarness<S extends StateData = StateData> extends AsyncDisposable {
  /** The instance. After a simulated crash, it is another one. */
  readonly countersign: Countersign;
  /** The requests to the model, unchanged. */
  readonly model: Pick<ScriptedModel, "requests">;
  /** Sends a message to the agent, in a new thread or an existing one. Resolves once the run has started. */
  say(text: string, options?: string | SayOptions<S>): Promise<StartedTurn<S>>;
  /**
   * Sends an event to your `functions`. Resolves once the run that it starts has begun. If it starts several runs,
   * `functionId` selects one.
   */
  send(event: { name: string; data?: Record<string, unknown> }, functionId?: string): Promise<StartedRun>;
  /**
   * The calls of the whole harness that wait for a person, oldest first. Resolves once there are at least `count`. Use
   * `pending` of a started run for the calls of that run only.
   * @default 1
   */
  pending<N extends number = 1>(count?: N, filter?: CallFilter): Promise<AtLeast<N>>;
  /** Records one person's decision about a call, with the digest of this `approval`. */
  decide(approval: Approval, choice: Choice): Promise<Outcome>;
  /** Records several people's decisions about one call at the same moment. The outcomes are in the same order. */
  race(approval: Approval, choices: readonly Choice[]): Promise<Outcome[]>;
  /**
   * Answers every pending call from now on. Return `undefined` to leave a call pending. Returns a function that stops
   * it.
   */
  answerAll(answer: (approval: Approval) => Choice | undefined): () => Promise<void>;
  /**
   * Asks for the undo of a call that has run, with the digest of this `approval`. Resolves to the undo, a call of its own,
   * once it is over or waits for people. Its tool must be in `countersign: { undoable }`.
   */
  undo(approval: Approval, choice?: UndoChoice): Promise<Outcome>;
  /** Reads a call once it is over: it has run, or never will. */
  over(call: string | Approval): Promise<Approval>;
  /** Reads the current state of a call. */
  approval(call: string | Approval): Promise<Approval>;
  /** Moves the time forward, by milliseconds or a duration such as `"30m"`. Everything that becomes due happens. */
  advance(duration: string | number): Promise<void>;
  /** The result of a run as JSON, once the run has ended. Throws if the run failed. */
  ended(runId: string): Promise<unknown>;
  /** The saved messages of a conversation. */
  messages(threadId: string): Promise<ThreadMessage[]>;
  /** The audit log, oldest entry first: of one call, or of a tenant, by default the harness's. */
  audit(of?: Approval | { tenantId: string }): Promise<AuditEntry[]>;
  /**
   * Makes the app's process die the next time that it reaches this point. The engine then repeats its requests to a new
   * process without the old one's memory. `decide` rejects if the process dies during it.
   */
  crashAt(point: CrashPoint): PlannedFault;
  /** Loses the next wake-ups of waiting runs on their way to the engine. @default 1 */
  dropWakeUps(count?: number): PlannedFault;
  /**
   * Checks all model requests and all saved conversations against the rules of both OpenAI and Anthropic: each tool
   * call has exactly one result, in its place.
   * @throws Error that lists what would be refused
   */
  assertValidTranscripts(): Promise<void>;
}

/**
 * Runs your policy with your tools, network or functions in a whole installation: the real hooks, orchestrator and
 * relay, a local engine, an embedded Postgres, and a scripted model that refuses what providers refuse. The test moves
 * the time, and nothing sleeps.
 *
 * Needs the packages `@countersign/local-engine` and `@electric-sql/pglite`.
 *
 * @throws CountersignError `invalid_option`, naming the option.
 *
 * @example
 * ```ts
 * import { createTool } from "@inngest/agent-kit";
 * import { ask, definePolicy } from "countersign";
 * import { createTestHarness } from "countersign/testing";
 * import { z } from "zod";
 *
 * export async function aRefundWaitsForFinance(): Promise<boolean> {
 *   const refunded: number[] = [];
 *   await using desk = await createTestHarness({
 *     policy: definePolicy({ tools: { refund: ask({ approvers: { roles: ["finance"] } }) } }),
 *     people: { ada: { id: "ada", roles: ["finance"] } },
 *     tools: [
 *       createTool({
 *         name: "refund",
 *         parameters: z.object({ amount: z.number() }),
 *         handler: ({ amount }) => refunded.push(amount),
 *       }),
 *     ],
 *     reply: ({ messages }) =>
 *       messages.at(-1)?.role === "user"
 *         ? { toolCalls: [{ name: "refund", input: { amount: 80 } }] }
 *         : { text: "Done." },
 *   });
 *   const turn = await desk.say("Refund my order");
 *   const [call] = await turn.pending();
 *   await desk.decide(call, { by: "ada", type: "approve" });
 *   await turn.ended();
 *   return refunded.length === 1;
 * }
 * ```
 */
export async function createTestHarness<S extends StateData = StateData>(
  options: TestHarnessOptions<S>,
): Promise<TestHarness<S>> {
  requireFittingOptions(options);
  const until = createUntil(options.patience);
  // Loaded here, because a test that only uses the scripted model needs neither.
  const { createLocalEngine, createTestClock } = await import("@countersign/local-engine");
  const { pgliteStore } = await import("../../pglite.js");
  const clock = createTestClock();
  const clockOffset = () => clock.now() - Date.now();
  const pglite = await takeDatabase();
  const store = storeVerbs(options.store?.({ clockOffset }) ?? pgliteStore({ client: pglite, clockOffset }));
  await store.migrate();
  const model = scriptedModel({ reply: options.reply });
  const engine = await createLocalEngine({
    database: { pglite },
    clock,
    logger: { warn: () => {}, error: () => {} },
    modelFetch: modelFetch(model),
  });
  // Several harnesses may use the same database of yours, so each needs an app id of its own.
  const appId = `countersign-test-${randomUUID()}`;
  const wakeUps = createWakeUpFilter(engine.fetch);
  const messages = new Map<string, Message<S>>();
  let crash: { point: CrashPoint; happened: number } | undefined;

  const startProcess = () => {
    const process = createSimulatedProcess((point) => {
      if (crash?.point !== point || crash.happened > 0) return false;
      crash.happened += 1;
      return true;
    });
    const app: App<S> = createApp(options, {
      id: appId,
      store: storeOf(process, store),
      baseUrl: engine.baseUrl,
      fetch: process.whileAlive(wakeUps.fetch),
      messages,
    });
    return { process, app };
  };
  let running: ReturnType<typeof startProcess>;
  /** Runs `work` in the app's process. If the process dies, a new one takes its place. */
  async function inApp<T>(work: (app: App<S>) => Promise<T>): Promise<T> {
    const { process, app } = running;
    try {
      return await process.run(() => work(app));
    } finally {
      if (process.diedAt !== undefined && running.process === process) running = startProcess();
    }
  }
  /**
   * Handles a request of the engine. If the process dies before it answers, the engine repeats the request to the new
   * one.
   */
  async function handle(request: Request): Promise<Response> {
    const copy = request.clone();
    try {
      return await inApp((app) => app.handle(copy));
    } catch (error) {
      if (error instanceof ProcessDied) return handle(request);
      throw error;
    }
  }
  async function close(): Promise<void> {
    await engine.stop();
    await store.close();
    giveBackDatabase(pglite);
  }
  try {
    running = startProcess();
    await engine.registerApp({ handler: handle });
    await engine.start();
  } catch (error) {
    await close();
    throw error;
  }

  const tenantId = tenantOf(options);
  const people = createPeople({
    tenantId,
    people: options.people,
    decide: (decision) => inApp(({ countersign }) => countersign.decide(decision)),
    undo: (request) => inApp(({ countersign }) => countersign.undo(request)),
    waiting: () => waitingCalls(store, {}),
  });

  async function runView(runId: string): Promise<RunView> {
    const response = await engine.fetch(`${engine.baseUrl}/v1/runs/${runId}`);
    if (!response.ok) throw new Error(`Unknown run "${runId}"`);
    return ((await response.json()) as { data: RunView }).data;
  }

  async function ended(runId: string): Promise<unknown> {
    const found = await until(
      {
        what: `the run ${runId} ends`,
        instead: async () =>
          [describeRun(await runView(runId)), ...people.refusedDecisions(runId)].join("; "),
      },
      async () => {
        const run = await runView(runId);
        return hasEnded(run) ? run : undefined;
      },
    );
    if (found.status !== "Completed") throw new Error(`The run ${runId} failed: ${describeRun(found)}`);
    return found.output;
  }

  async function started(eventId: string | undefined, functionId: string | undefined): Promise<string> {
    const runs = await until(
      { what: functionId ? `a run of "${functionId}" begins` : "a run begins" },
      async () => {
        // The engine caches its response to a URL for some seconds.
        const url = `${engine.baseUrl}/v1/events/${eventId}/runs?at=${performance.now()}`;
        const { data } = (await (await engine.fetch(url)).json()) as { data: RunView[] };
        const wanted = data.filter((run) => !functionId || run.function_id === `${appId}-${functionId}`);
        return wanted.length > 0 ? wanted : undefined;
      },
    );
    const [run] = runs;
    if (runs.length === 1 && run) return run.run_id;
    const names = runs.map((run) => run.function_id.slice(appId.length + 1));
    throw new Error(`The event starts several functions; pass the id of one of them: ${names.join(", ")}`);
  }

  const pendingIn =
    (filter: CallFilter, runId?: string): StartedRun["pending"] =>
    async <N extends number = 1>(count?: N) => {
      const over = async () => {
        const run = runId === undefined ? undefined : await runView(runId);
        return run && hasEnded(run) ? describeRun(run) : undefined;
      };
      const { threadId } = filter;
      const refused = async () => (threadId === undefined ? [] : refusedCalls(await messagesOf(threadId)));
      return (await untilCallsWait(store, filter, { count: count ?? 1, until, over, refused })) as AtLeast<N>;
    };

  async function say(text: string, given: string | SayOptions<S> = {}): Promise<StartedTurn<S>> {
    if (!options.network && !options.tools && !options.agent) {
      throw invalidOption("say", "requires `tools` or a `network`; use `send` to start your own functions");
    }
    const asked = typeof given === "string" ? { threadId: given } : given;
    if (options.context && (asked.requester || asked.tenantId !== undefined)) {
      throw invalidOption(
        "requester and tenantId",
        "are provided by `context`; pass the state it reads to `say`",
      );
    }
    const message: Message<S> = { ...asked, text, threadId: asked.threadId ?? `thr_${randomUUID()}` };
    const { threadId } = message;
    const context = running.app.contextOf(message);
    const tenant = context.tenantId ?? tenantId;
    const ownerId = context.requester?.id ?? null;
    if (!(await store.openThread({ tenantId: tenant, id: threadId, ownerId, runId: null }))) {
      throw new CountersignError("thread_not_found", `The thread "${threadId}" belongs to someone else`);
    }
    const id = randomUUID();
    messages.set(id, message);
    threads.set(threadId, { tenantId: tenant, ownerId });
    const { ids } = await running.app.inngest.send({ name: messageEvent, data: { id } });
    const runId = await started(ids[0], talkFunction);
    return {
      runId,
      threadId,
      pending: pendingIn({ tenantId: tenant, threadId }, runId),
      ended: () => ended(runId) as Promise<S>,
      say: (next, changes) => say(next, { ...asked, ...changes, threadId }),
      messages: () => messagesOf(threadId),
    };
  }

  const threads = new Map<string, { tenantId: string; ownerId: string | null }>();
  async function messagesOf(threadId: string): Promise<ThreadMessage[]> {
    const thread = threads.get(threadId);
    const reader = { id: thread?.ownerId ?? "", tenantId: thread?.tenantId ?? tenantId, roles: [] };
    const pages: ThreadMessage[][] = [];
    for (let cursor: ThreadView["nextCursor"] | undefined; cursor !== null; ) {
      const page = await running.app.countersign.threads.read(threadId, reader, {
        seesEverything: true,
        limit: 200,
        cursor,
      });
      pages.unshift(page.messages);
      cursor = page.nextCursor;
    }
    return pages.flat();
  }

  const { callNow, callUntil } = createCalls(store, until);

  return {
    get countersign() {
      return running.app.countersign;
    },
    model,
    say,
    async send(event, functionId) {
      const { ids } = await running.app.inngest.send({ name: event.name, data: event.data ?? {} });
      const runId = await started(ids[0], functionId);
      return { runId, pending: pendingIn({ runId }, runId), ended: () => ended(runId) };
    },
    pending: (count, filter = {}) => pendingIn(filter)(count),
    decide: people.decide,
    race: (approval, choices) => Promise.all(choices.map((choice) => people.decide(approval, choice))),
    answerAll: (answer) => people.answerAll(answer),
    async undo(approval, choice = {}) {
      const asked = await people.undo(approval, choice);
      return asked.ok ? { ok: true, approval: await callUntil(asked.approval, isSettled) } : asked;
    },
    over: (call) => callUntil(call, isOver),
    approval: callNow,
    advance: (duration) => clock.advance(duration),
    ended,
    messages: messagesOf,
    async audit(of = { tenantId }) {
      if ("digest" in of) return store.auditTrail(of.tenantId, of.id);
      const entries: AuditEntry[] = [];
      for (;;) {
        const page = await store.listAudit({ tenantId: of.tenantId, after: entries.at(-1)?.position ?? 0 });
        if (page.length === 0) return entries;
        entries.push(...page);
      }
    },
    crashAt(point) {
      if (!crashPoints.includes(point)) {
        throw invalidOption("crashAt", `there is no point "${point}"${didYouMean(point, crashPoints)}`);
      }
      const planned = { point, happened: 0 };
      crash = planned;
      return planned;
    },
    dropWakeUps: (count = 1) => wakeUps.drop(count),
    async assertValidTranscripts() {
      const kept = await Promise.all(
        [...threads.keys()].map(async (threadId) => ({ threadId, messages: await messagesOf(threadId) })),
      );
      const problems = transcriptProblems(model.requests, kept);
      if (problems.length > 0) throw new Error(`Invalid transcripts:\n${problems.join("\n")}`);
    },
    async [Symbol.asyncDispose]() {
      await people.stop();
      await close();
    },
  };
}

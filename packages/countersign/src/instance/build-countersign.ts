import { withoutThrows } from "@countersign/policy/internal/policy/deny-on-throw";
import { consoleLogger, messageFirst } from "@countersign/policy/internal/shared/logger";
import { defaultTimeout } from "../approval/default-terms.js";
import { type ContextInput, createSubjects, type RunContext } from "../call/run/run-context.js";
import { subjectsOf } from "../call/run/run-scope.js";
import type { Runtime } from "../call/run/runtime.js";
import { createApprovalActions } from "../decision/approval-actions.js";
import { checkEdit } from "../decision/check-edit.js";
import { createDecide } from "../decision/decide.js";
import { limitsOf } from "../decision/limits.js";
import { createAttempt } from "../delivery/attempt.js";
import { createReceive } from "../delivery/channel-gate.js";
import {
  channelsOf,
  notifyTargets,
  requireChannels,
  requireMarkedChannels,
} from "../delivery/configured-channels.js";
import { createDeliver } from "../delivery/deliver-function.js";
import { resendOverdue, sendWhenDue } from "../delivery/due-events.js";
import { historyChannel } from "../delivery/host-history/history-channel.js";
import { createEvidenceSigner } from "../evidence/evidence-signer.js";
import { holdSigner } from "../evidence/held-signer.js";
import { createConversations } from "../history/conversations.js";
import type { HistoryRuntime } from "../history/history-runtime.js";
import { historyWindowOf } from "../history/history-window.js";
import { createRecorder } from "../history/record-results.js";
import { savedApprovals } from "../history/saved-approvals.js";
import { createThreads } from "../history/threads.js";
import { createTurns } from "../history/turns.js";
import { createCanary } from "../orchestrator/canary.js";
import { sendNotified } from "../orchestrator/notify.js";
import { openRequest } from "../orchestrator/open-request.js";
import { createOrchestrator } from "../orchestrator/orchestrator.js";
import { publishAfterCommits, publishOverdue } from "../orchestrator/publish-events.js";
import { createRelay } from "../orchestrator/relay-function.js";
import { createWakeUpSender } from "../orchestrator/resend.js";
import { createWithdrawal } from "../orchestrator/withdrawal-function.js";
import { requestHumanInput } from "../questions/request-human-input.js";
import { storeVerbs } from "../store/store.js";
import { requestUndo, requestUndos, type UndoRequest } from "../undo/request-undo.js";
import { startOverdueUndos, startUndo } from "../undo/start-undo.js";
import { createUndoFunction } from "../undo/undo-function.js";
import { undoableTools } from "../undo/undoable-tools.js";
import { applyProfile } from "../ways/functions/apply-profile.js";
import { requireApproval } from "../ways/functions/require-approval.js";
import { createRunGate } from "../ways/loop/run-gate.js";
import { createExternalCalls } from "../ways/programs/external-calls.js";
import { createClose } from "./close.js";
import type { Countersign, CountersignOptions } from "./countersign.js";
import { announceInstance } from "./development-hook.js";
import { inboxUrlOf, redactPatternsOf, timeoutOf } from "./read-options.js";
import { tracedStore } from "./traced-store.js";
import { withDefaults } from "./with-defaults.js";

/** What an instance gets from the framework of its agents. */
export interface Framework {
  /** Reads for whom a run with this state works. */
  contextOf?: ((input: ContextInput) => RunContext) | undefined;
  newState: Runtime["newState"];
  /** The agent as it must run inside a guarded run of the instance. */
  guarded(this: void, runtime: Runtime): Runtime["guarded"];
}

/** An instance, and the parts of it that a framework's own hooks and history need. */
export interface Built {
  instance: Countersign;
  runtime: Runtime;
  /** The parts of its threads. */
  threads: Pick<HistoryRuntime, "turns" | "recorder" | "historyWindow" | "supersede">;
}

/** @throws CountersignError `invalid_option`, naming the option and the fix. */
export function buildCountersign(options: CountersignOptions, framework: Framework): Built {
  const { inngest, id = "countersign", logger: given = consoleLogger, tracer } = options;
  const logger = messageFirst(given);
  const { marksOnly, ...defaulted } = withDefaults(options, logger);
  const store = tracedStore(storeVerbs(defaulted.store), tracer);
  const policy = withoutThrows(defaulted.policy, logger);
  const tenantId = options.tenantId ?? "default";
  const timeoutMs = timeoutOf(options.timeout ?? defaultTimeout);
  const limits = limitsOf(options.limits);
  const signer = options.signingKey === undefined ? undefined : createEvidenceSigner(options.signingKey);
  const { send: wake, answered } = createWakeUpSender(inngest, store, logger);
  const orchestrator = createOrchestrator(inngest, id, store, signer, answered);
  const channels = channelsOf(options.channels ?? []);
  requireChannels(policy, channels);
  const inboxUrl = inboxUrlOf(options.inboxUrl);
  const decide = createDecide({ store, policy, limits, signer, wake });
  const turns = createTurns(store);
  const recorder = createRecorder(store, turns);
  const historyWindow = historyWindowOf(options.history);
  const supersede = options.supersede ?? "never";
  const closing = new AbortController();
  const ids = { appId: inngest.id, instanceId: id };
  const runtime: Runtime = {
    ...ids,
    store,
    turns,
    recorder,
    conversations: createConversations({ store, turns, recorder, historyWindow, supersede, wake }),
    logger,
    tracer,
    policy,
    marksOnly,
    shadowPolicy: options.shadowPolicy && withoutThrows(options.shadowPolicy, logger),
    signer,
    tenantId,
    timeoutMs,
    redactPatterns: redactPatternsOf(options.redactPatterns ?? []),
    durableTools: options.durableTools ?? [],
    undos: undoableTools(options.undoable),
    notifyTargets: (named) => notifyTargets(channels, named, logger),
    requireMarkedChannels: (toolName, mark) => requireMarkedChannels(toolName, mark, channels),
    serveHistory: (history) => void channels.set(history.channel, historyChannel(store, history)),
    limits,
    orchestrator,
    newState: framework.newState,
    tickets: new WeakMap(),
    inFlight: new Map(),
    closing: closing.signal,
    stepUsers: new Set(),
    subjectsFor: createSubjects(tenantId, framework.contextOf),
    subjectOfState: (state) => subjectsOf(runtime, state).subject,
    guarded: (agent, profile) => framework.guarded(runtime)(agent, profile),
    wake,
    openRequest: (requestId) => openRequest({ inngest, store, logger }, requestId),
    startUndo: (requestId) => startUndo({ inngest, store, logger }, ids, requestId),
    sendNotified: (approvals) => sendNotified(inngest, store, approvals),
  };

  const sending = new Set<Promise<unknown>>();
  publishAfterCommits(inngest, store, logger, sending);
  sendWhenDue(inngest, store, logger, sending);
  const undo = (request: UndoRequest) => requestUndo(runtime, decide, request);

  const instance: Countersign = {
    functions: [
      orchestrator,
      createRelay(inngest, id, {
        store,
        logger,
        resendDeliveries: () => resendOverdue(inngest, store, channels),
        publishEvents: async () =>
          (await startOverdueUndos(inngest, store, ids)) + (await publishOverdue(inngest, store, logger)),
      }),
      createWithdrawal(inngest, id, store, logger),
      createCanary(inngest, id),
      createDeliver(inngest, id, {
        store,
        attempt: createAttempt({ store, channels, inboxUrl, logger, tracer }),
      }),
      createUndoFunction(inngest, runtime),
    ],
    store,
    logger,
    tenantId,
    decide,
    ...createApprovalActions(store, signer, wake),
    policy,
    pushKey: [...channels.values()].find(({ pushKey }) => pushKey !== undefined)?.pushKey ?? null,
    receive: createReceive({ store, channels, inboxUrl, logger, tenantId }, { decide, undo }),
    checkEdit: ({ approval, principal, input, seesEverything }) =>
      checkEdit({ policy, store }, approval, principal, input, {
        seesEverything,
        maxBytes: limits.argumentBytes,
      }),
    history: savedApprovals({ ...runtime, decide }),
    threads: createThreads(runtime),
    verifyAudit: (tenantId, anchor) => store.verifyAudit(tenantId, anchor, signer),
    requestHumanInput,
    requireApproval: (step, request) => requireApproval(runtime, step, request),
    gate: (options) => createRunGate(runtime, options),
    applyProfile: (fns, options) => applyProfile(runtime, fns, options),
    externalCalls: createExternalCalls(runtime),
    undo,
    undoMany: (request) => requestUndos(runtime, decide, request),
    closing: closing.signal,
    close: createClose({ ...runtime, sending }, () => closing.abort()),
  };
  holdSigner(instance, signer);
  announceInstance(instance);
  return { instance, runtime, threads: { turns, recorder, historyWindow, supersede } };
}

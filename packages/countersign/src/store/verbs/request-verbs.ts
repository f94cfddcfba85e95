import { together } from "../database.js";
import { forgetFailingRecipients } from "../delivery/failing-recipients.js";
import { withSeals } from "../evidence/sealing.js";
import type { RequestPort, WakeUp } from "../ports/request-port.js";
import { AllowedBefore, forgetAllowed, recordAllowed } from "../request/allowed-responses.js";
import { announce } from "../request/announce.js";
import { readCounts } from "../request/counted-calls.js";
import { earlierCall } from "../request/earlier-call.js";
import { endOf, forgetEndedRuns, recordEnd, recordReturn } from "../request/ended-runs.js";
import { drawNonces } from "../request/new-approval.js";
import {
  endAbandoned,
  expireRequest,
  forgottenRequests,
  overdueRequests,
  takeDueWakeUps,
  wakeUpsStillDue,
} from "../request/outbox.js";
import { propose } from "../request/propose.js";
import { approvalsOf, approvalsWithRepeats, readModelText, readRequest } from "../request/read-request.js";
import { peek, settle } from "../request/settle.js";
import { overdueUndos } from "../request/undo.js";
import {
  failThreadOf,
  openRequestsOfThread,
  requestsOfRun,
  runsInvokedBy,
  withdrawEnded,
  withdrawForgotten,
  withdrawRequest,
  withdrawRestored,
} from "../request/withdraw.js";
import type { Scopes } from "../scopes.js";

/** Proposes, announces and settles requests, and withdraws them. */
export function requestVerbs({
  inTenant,
  asSystem,
  inLogOf,
  forTenant,
  reading,
  judging,
}: Scopes): RequestPort {
  return {
    propose: async (proposal, signer) => {
      const { requestId, runId, tenantId } = proposal;
      const nonces = drawNonces(proposal);
      const writing = withSeals(forTenant(tenantId), signer, async (tx, sealer) => {
        const isNew = await propose(tx, proposal, nonces, sealer);
        const [proposed, end] = await together([
          approvalsOf(tx, requestId),
          runId === null ? undefined : endOf(tx, { runId, requestId }),
        ]);
        if (isNew && end?.isAllowed) throw new AllowedBefore();
        if (!end?.cause || runId === null) return proposed;
        if (end.cause === "run_lost") {
          await recordReturn(tx, runId);
          return proposed;
        }
        await withdrawEnded(tx, requestId, end.cause);
        return approvalsOf(tx, requestId);
      });
      return writing.catch((error: unknown) => {
        if (error instanceof AllowedBefore) return [];
        throw error;
      });
    },
    recordAllowed: (allowed) => inTenant(allowed.tenantId, (tx) => recordAllowed(tx, allowed)),
    readCounts: (tenantId, queries, counting) =>
      reading.inTenant(tenantId, (tx) => readCounts(tx, tenantId, queries, counting)),
    approvalsOf: (requestId, alsoOf) =>
      reading.asSystem((tx) =>
        alsoOf ? approvalsWithRepeats(tx, requestId, alsoOf) : approvalsOf(tx, requestId),
      ),
    readRequest: (requestId) => reading.asSystem((tx) => readRequest(tx, requestId)),
    readModelText: (tenantId, requestId) =>
      reading.inTenant(tenantId, (tx) => readModelText(tx, tenantId, requestId)),
    earlierCall: (approval) => reading.inTenant(approval.tenantId, (tx) => earlierCall(tx, approval)),
    announce: (requestId) => announce(judging, requestId),
    settle: (requestId, round) => settle(judging, requestId, round),
    peek: (requestId, round) => peek(judging, requestId, round),
    withdrawRun: async (runId, cause) => {
      const wakeUps: WakeUp[] = [];
      const ended = new Set<string>();
      const end = async (run: string): Promise<void> => {
        if (ended.has(run)) return;
        ended.add(run);
        // Recorded before its requests are read, so that anything it proposes later sees that it has ended.
        await asSystem((tx) => recordEnd(tx, run, cause));
        // One transaction per request: taking several locks in one would eventually deadlock.
        for (const requestId of await asSystem((tx) => requestsOfRun(tx, run))) {
          const wakeUp = await asSystem((tx) => withdrawEnded(tx, requestId, cause));
          if (wakeUp) wakeUps.push(wakeUp);
        }
        await asSystem((tx) => failThreadOf(tx, run));
        // The engine lets invoked runs continue after the run that waits for them has ended.
        for (const invoked of await asSystem((tx) => runsInvokedBy(tx, run))) await end(invoked);
      };
      await end(runId);
      return wakeUps;
    },
    withdrawThread: async (tenantId, threadId, keepRunId) => {
      const wakeUps: WakeUp[] = [];
      const open = await inTenant(tenantId, (tx) => openRequestsOfThread(tx, tenantId, threadId, keepRunId));
      for (const requestId of open) {
        const wakeUp = await inTenant(tenantId, (tx) => withdrawEnded(tx, requestId, "superseded"));
        if (wakeUp) wakeUps.push(wakeUp);
      }
      return wakeUps;
    },
    withdrawRequest: (requestId, cause) => asSystem((tx) => withdrawRequest(tx, requestId, cause)),
    withdrawRestored: (tenantId, by) => inLogOf(tenantId, (tx) => withdrawRestored(tx, tenantId, by)),
    takeDueWakeUps: (limit) => asSystem((tx) => takeDueWakeUps(tx, limit)),
    overdueUndos: (instance) => reading.asSystem((tx) => overdueUndos(tx, instance)),
    wakeUpsStillDue: (requestIds) => reading.asSystem((tx) => wakeUpsStillDue(tx, requestIds)),
    sweep: async () => {
      let expired = 0;
      for (const requestId of await asSystem(overdueRequests)) {
        expired += await expireRequest(judging, requestId);
      }
      for (const requestId of await asSystem(forgottenRequests)) {
        await asSystem((tx) => withdrawForgotten(tx, requestId));
      }
      await asSystem(forgetEndedRuns);
      await asSystem(forgetAllowed);
      await asSystem(forgetFailingRecipients);
      const abandoned = await asSystem(endAbandoned);
      return { expired: expired + abandoned.expired, interrupted: abandoned.interrupted };
    },
  };
}

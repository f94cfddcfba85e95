import { forgetFailingRecipients } from "../delivery/failing-recipients.js";
import { type Sealer, sealing, withSeals } from "../evidence/sealing.js";
import type { RequestPort, WakeUp } from "../ports/request-port.js";
import { type ProposalSeen, proposalReading } from "../proposal-seen.js";
import { forgetAllowed, recordAllowed } from "../request/allowed-responses.js";
import { announce } from "../request/announce.js";
import { forgetCountedHours, readCounts } from "../request/counted-calls.js";
import { forgetEndedRuns, recordEnd, recordReturn } from "../request/ended-runs.js";
import {
  endAbandoned,
  expireRequest,
  forgottenRequests,
  overdueRequests,
  takeDueWakeUps,
  wakeUpsStillDue,
} from "../request/outbox.js";
import { takeTurn } from "../request/proposal-limits.js";
import { guessProposal, isCounted, judgeProposal, prepare } from "../request/propose.js";
import { approvalsOf, readModelText, readRequest } from "../request/read-request.js";
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
import { judgingIn } from "../verb.js";

/** Proposes, announces and settles requests, and withdraws them. */
export function requestVerbs({
  inTenant,
  asSystem,
  inLogOf,
  forTenant,
  reading,
  judging,
  judgingFor,
}: Scopes): RequestPort {
  return {
    propose: async (proposal, signer) => {
      const { requestId, runId, tenantId } = proposal;
      const prepared = prepare(proposal, { byLog: signer !== undefined });
      const read = proposalReading(prepared.asked);
      const judge = (sealer: Sealer | undefined) => (seen: ProposalSeen) =>
        judgeProposal(seen, prepared, sealer);
      const { approvals, isKnown, end } = isCounted(proposal)
        ? await withSeals(forTenant(tenantId), signer, async (tx, sealer) => {
            await takeTurn(tx, tenantId);
            return judgingIn(tx)(read, judge(sealer));
          })
        : await judgingFor(tenantId)(read, judge(signer && sealing(signer)), await guessProposal(prepared));
      // The end of a run belongs to no tenant.
      if (end === "run_lost" && runId !== null) await asSystem((tx) => recordReturn(tx, runId));
      // Whoever recorded the end may not have come to withdraw what was there.
      if (!isKnown || end === null || end === "run_lost") return approvals;
      await withdrawEnded(judgingFor(tenantId), requestId, end);
      return approvalsOf(judgingFor(tenantId), requestId);
    },
    recordAllowed: (allowed) => recordAllowed(judgingFor(allowed.tenantId), allowed),
    readCounts: (tenantId, queries, counting) =>
      reading.inTenant(tenantId, (tx) => readCounts(tx, tenantId, queries, counting)),
    approvalsOf: (requestId, alsoOf) => approvalsOf(judging, requestId, alsoOf),
    readRequest: (requestId) => readRequest(judging, requestId),
    readModelText: (tenantId, requestId) =>
      reading.inTenant(tenantId, (tx) => readModelText(tx, tenantId, requestId)),
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
        // Each request by itself: taking the locks of several would eventually deadlock.
        for (const requestId of await asSystem((tx) => requestsOfRun(tx, run))) {
          const wakeUp = await withdrawEnded(judging, requestId, cause);
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
        const wakeUp = await withdrawEnded(judgingFor(tenantId), requestId, "superseded");
        if (wakeUp) wakeUps.push(wakeUp);
      }
      return wakeUps;
    },
    withdrawRequest: (requestId, cause) => withdrawRequest(judging, requestId, cause),
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
        await withdrawForgotten(judging, requestId);
      }
      const abandoned = await asSystem(endAbandoned);
      await asSystem(forgetEndedRuns);
      await asSystem(forgetAllowed);
      await asSystem(forgetCountedHours);
      await asSystem(forgetFailingRecipients);
      return { expired: expired + abandoned.expired, interrupted: abandoned.interrupted };
    },
  };
}

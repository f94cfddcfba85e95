import { randomUUID } from "node:crypto";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import type { Inngest } from "inngest";
import * as z from "zod";
import type { WakeUp } from "../store/ports/request-port.js";
import type { Store } from "../store/store.js";
import { askCanary, checksPerCanary, startCanary } from "./canary.js";
import type { EngineSteps } from "./engine-steps.js";
import { sendWakeUps, wakeUp } from "./wake.js";

/** Maximum number of events in one call to the engine. */
const batch = 200;
/** Number of looks without a further answer after which the silent runs count as lost. */
const silentLooksBeforeVerdict = 4;
/** Maximum number of looks. Without a result by then, the next detection decides. */
const maxLooks = 16;

interface Finding {
  inngest: Inngest.Any;
  store: Store;
  logger: Logger;
}

const watched = z.object({ canaryId: z.string(), runs: z.boolean(), checks: z.number() }).nullable();
const probed = z.object({ unanswered: z.number() });

/**
 * Finds the runs that the engine has lost, and ends their pending requests. An engine without durable storage loses its
 * runs at a restart, reports nothing, and may continue to list them as running. So we probe the runs themselves:
 *
 * 1. A canary run must answer a check. It is lost if it leaves three unanswered while a new canary starts.
 * 2. Then every waiting run of the app is woken. A live run reads the database and waits again, which counts a round. The same
 *    happens when the app's first canary starts, because the engine may have lost runs before it.
 * 3. A run is lost if it counted no round, although several looks in a row woke it, the new canary answered each time,
 *    and no other run answered any more.
 *
 * If the verdict is wrong and the run is only slow, its approvals are lost but nothing runs: its calls are withdrawn,
 * its claims fail, and a last wake-up lets it continue.
 */
export async function findLostRuns(
  { inngest, store, logger }: Finding,
  step: EngineSteps,
  runId: string,
): Promise<number> {
  const watch = watched.parse(await step.run("watch", () => store.watchEngine(inngest.id)));
  if (!watch) return 0;
  const { canaryId, checks } = watch;
  const last = checks >= checksPerCanary;
  const answers = watch.runs && (await askCanary(inngest, step, { canaryId, runId, name: "first", last }));
  if (answers) {
    await step.run("canary-answers", () => store.recordAnswer(inngest.id, canaryId));
    if (!last) return 0;
  }
  const successor = z.string().parse(await step.run("name-successor", () => `canary-${randomUUID()}`));
  // If the engine starts no new run, decide nothing: the engine may be down, or the app too busy to answer.
  if (!(await startCanary(inngest, store, step, successor))) return 0;
  await step.run("replace-canary", () => store.replaceCanary(inngest.id, canaryId, successor));
  // The engine has kept this run from the last answer to the first one of the successor, so it has lost none.
  if (answers) return 0;
  return judgeRuns({ inngest, store, logger }, step, { runId, canaryId: successor });
}

/** Probes every waiting run of the app until several looks bring no further answer, and ends those that have not answered. */
async function judgeRuns(
  { inngest, store, logger }: Finding,
  step: EngineSteps,
  { runId, canaryId }: { runId: string; canaryId: string },
): Promise<number> {
  const probe = async (name: string, first: boolean) =>
    probed.parse(
      await step.run(name, async () => {
        const suspects = await store.probeRuns(inngest.id, canaryId, { first });
        await inBatches(suspects, (some) => wakeUp({ inngest, store }, some));
        return { unanswered: suspects.length };
      }),
    ).unanswered;
  const asked = await probe("probe", true);
  let unanswered = asked;
  let silentLooks = 0;
  for (let look = 0; unanswered > 0 && silentLooks < silentLooksBeforeVerdict; look++) {
    if (look === maxLooks) {
      // No canary has this name, so the next detection starts over.
      await step.run("judge-again", () => store.replaceCanary(inngest.id, canaryId, `undecided-${canaryId}`));
      return 0;
    }
    await step.sleep(`look-${look}`, "15s");
    // A look during which the engine itself was silent says nothing about the runs.
    if (!(await askCanary(inngest, step, { canaryId, runId, name: `look-${look}`, last: false }))) continue;
    const still = await probe(`probe-again-${look}`, false);
    silentLooks = still === unanswered ? silentLooks + 1 : 0;
    unanswered = still;
  }
  if (unanswered === 0) return 0;
  const ended = await step.run("end-lost-runs", async () => {
    const lost = await store.lostRuns(inngest.id, canaryId, { all: unanswered === asked });
    const wakeUps: WakeUp[] = [];
    for (const lostRunId of lost) wakeUps.push(...(await store.withdrawRun(lostRunId, "run_lost")));
    // If a run is alive after all, this lets it continue now and not only when its wait times out.
    await inBatches(wakeUps, (some) => sendWakeUps({ inngest, store }, some, logger));
    await store.recordLost(inngest.id, lost.length);
    logger.error(
      `The engine has lost ${lost.length} waiting runs. Their calls are withdrawn (run_lost) and will not run. See "When the engine loses its runs" in docs/operating/operations.md.`,
      { appId: inngest.id, count: lost.length },
    );
    return lost.length;
  });
  return z.number().parse(ended);
}

async function inBatches(
  wakeUps: readonly WakeUp[],
  send: (some: readonly WakeUp[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < wakeUps.length; from += batch) await send(wakeUps.slice(from, from + batch));
}

import { setTimeout as sleep } from "node:timers/promises";
import type { Journal } from "./journal.js";
import type { ChaosOptions } from "./options.js";
import type { Random } from "./random.js";
import { rowsIfReachable } from "./rows-if-reachable.js";
import { followingRun, type PlanOptions, planRun, type RunPlan } from "./scenario/plan.js";
import type { Phase } from "./schedule.js";
import type { Installation } from "./world/installation.js";

/** Runs in the thread of an earlier run have numbers from here on. */
const followers = 100_000;

/** The journal's counter of runs that have begun. */
export const runsBegun = "runs begun";

export interface LoadContext {
  options: ChaosOptions;
  random: Random;
  installation: Installation;
  journal: Journal;
  phase: Phase;
  /** True once every crash point has been hit. */
  /** The crash points that were not hit yet. */
  missing: () => readonly string[];
}

/** How many runs are in progress at once, and how many of them may wait for anything but people before more begin. */
const pace = { chaos: { open: 300, busy: 24 }, drill: { open: 16, busy: 8 } };
/** The part of the time after which no more runs begin, so that most runs end while faults still happen. */
const takingOn = 0.85;

/** The crash point that only a run reaches that is cancelled while people are asked about its calls. */
const afterCancelling = "after-withdrawal";

/**
 * Sends the users' messages while faults happen, and as long as some crash point has not been hit. It sends as many as the
 * machine can handle, so that a slow machine has fewer runs instead of later ones.
 */
export async function startRuns(context: LoadContext): Promise<void> {
  const { options, random, journal, phase, missing } = context;
  const lastAt = options.drill ? Number.POSITIVE_INFINITY : Date.now() + takingOn * options.durationMs;
  const plans: PlanOptions = {
    longestDelayMs: Math.min(30_000, options.durationMs / 3),
    drill: options.drill,
    tools: options.tools,
  };
  const limits = options.drill ? pace.drill : pace.chaos;
  const others: Promise<void>[] = [];
  for (let index = 0; phase.troubled; ) {
    if (Date.now() > lastAt && missing().length === 0) break;
    const open = [...journal.runs.values()].filter((plan) => !journal.isOver(plan)).length;
    if (open < limits.open && open - (await waitingForPeople(context)) < limits.busy) {
      // Without it, a slow machine might wait for long until a run that is cancelled happens to have asked.
      const cancels = Date.now() > lastAt && missing().includes(afterCancelling);
      others.push(live(context, planRun(random, index++, plans), plans, cancels));
    }
    await sleep(options.drill ? 50 : 100);
  }
  await Promise.all(others);
}

/** The number of runs that wait for a decision; 0 if the database does not answer. */
async function waitingForPeople({ installation }: LoadContext): Promise<number> {
  const [row] = await rowsIfReachable(installation.sql`
    select count(distinct run_id)::int as runs from countersign.approvals where status = 'pending'`);
  return Number(row?.runs ?? 0);
}

/**
 * Starts one run: sends its message, and does what its user does besides.
 *
 * @param cancels The user cancels it once people are asked about its calls, whatever the plan says.
 */
async function live(
  context: LoadContext,
  plan: RunPlan,
  plans: PlanOptions,
  cancels: boolean,
): Promise<void> {
  const { random, journal } = context;
  await say(context, plan);
  const later: Promise<void>[] = [];
  if (cancels) later.push(cancel(context, plan, true));
  else if (plan.cancelAfterMs !== undefined)
    later.push(sleep(plan.cancelAfterMs).then(() => cancel(context, plan)));
  if (plan.supersedeAfterMs !== undefined) {
    const next = followingRun(random, plan, followers + plan.index, plans);
    later.push(
      sleep(plan.supersedeAfterMs).then(() => {
        journal.count("users wrote again");
        return say(context, next);
      }),
    );
  }
  await Promise.all(later);
}

/** Sends the message until the engine has accepted it. Repeated deliveries count as one message. */
async function say({ installation, journal }: LoadContext, plan: RunPlan): Promise<void> {
  journal.addRun(plan);
  const { index, threadId, format, agent, previews } = plan;
  const name = `${installation.appId}/message`;
  const event = { id: `message-${index}`, name, data: { run: index, threadId, format, agent, previews } };
  const send = () =>
    fetch(`${installation.links.engine.url}/e/driver`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(event),
    });
  while (!(await succeeds(send()))) await sleep(250);
  journal.count(runsBegun);
}

/** Retries while faults happen: an engine answers 404 while it does not know a run yet, or no longer. */
async function cancel(
  { installation, journal, phase }: LoadContext,
  { index }: RunPlan,
  onceAsked = false,
): Promise<void> {
  for (; phase.troubled; await sleep(300)) {
    const [runId] = journal.runIds.get(index) ?? [];
    if (!runId || (onceAsked && !(await waitsForPeople(installation, runId)))) continue;
    journal.cancelled.add(index);
    if (await succeeds(fetch(`${installation.links.engine.url}/v1/runs/${runId}`, { method: "DELETE" }))) {
      journal.count("runs cancelled");
      return;
    }
  }
}

async function waitsForPeople({ sql }: LoadContext["installation"], runId: string): Promise<boolean> {
  const rows = await rowsIfReachable(sql`
    select from countersign.approvals where run_id = ${runId} and status = 'pending' limit 1`);
  return rows.length > 0;
}

async function succeeds(request: Promise<Response>): Promise<boolean> {
  const response = await request.catch(() => undefined);
  await response?.arrayBuffer().catch(() => undefined);
  return response?.ok === true;
}

import { setTimeout as sleep } from "node:timers/promises";
import type { Journal } from "./journal.js";
import type { ChaosOptions } from "./options.js";
import type { Random } from "./random.js";
import { followingRun, type PlanOptions, planRun, type RunPlan } from "./scenario/plan.js";
import type { Phase } from "./schedule.js";
import type { Installation } from "./world/installation.js";

/** Runs that answer an earlier run's thread have numbers from here on. */
const followers = 100_000;

export interface LoadContext {
  options: ChaosOptions;
  random: Random;
  installation: Installation;
  journal: Journal;
  phase: Phase;
  /** True once every crash point has been hit. */
  allHit: () => boolean;
}

/** How many runs are in progress at once, and up to how many requests to apps may be due before there are more. */
const pace = { chaos: { open: 300, due: 24 }, drill: { open: 16, due: 8 } };
/** The part of the time after which no more runs begin, so that most of what there is ends while things still go wrong. */
const takingOn = 0.85;

/**
 * Sends the users' messages while things go wrong: as many as the machine takes on, so that a slow one has fewer runs and
 * not later ones; and for as long as some crash point has not been hit.
 */
export async function startRuns(context: LoadContext): Promise<void> {
  const { options, random, journal, phase, allHit } = context;
  const lastAt = options.drill ? Number.POSITIVE_INFINITY : Date.now() + takingOn * options.durationMs;
  const plans: PlanOptions = {
    longestDelayMs: Math.min(30_000, options.durationMs / 3),
    drill: options.drill,
  };
  const limits = options.drill ? pace.drill : pace.chaos;
  const others: Promise<void>[] = [];
  for (let index = 0; phase.troubled; ) {
    if (Date.now() > lastAt && allHit()) break;
    const { ended, due } = await busyness(context);
    if (due < limits.due && journal.runs.size - ended < limits.open) {
      others.push(live(context, planRun(random, index++, plans), plans));
    }
    await sleep(options.drill ? 50 : 100);
  }
  await Promise.all(others);
}

/** How many runs have ended, and how much the engine has to do; too much where the database does not say. */
async function busyness({ installation }: LoadContext): Promise<{ ended: number; due: number }> {
  const [row] = await installation.sql`select
    (select count(*)::int from local_engine.run where function_id = 'chaos-agent' and status <> 'Running') as ended,
    (select count(*)::int from local_engine.queue_item where due_at <= ${Date.now()}) as due`.catch(() => []);
  return { ended: Number(row?.ended ?? 0), due: Number(row?.due ?? Number.POSITIVE_INFINITY) };
}

/** One run: its message, and what its user does besides. */
async function live(context: LoadContext, plan: RunPlan, plans: PlanOptions): Promise<void> {
  const { random, journal } = context;
  await say(context, plan);
  const later: Promise<void>[] = [];
  if (plan.cancelAfterMs !== undefined)
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

/** Sends the message until the engine has taken it; however often it arrives, it is one message. */
async function say({ installation, journal }: LoadContext, plan: RunPlan): Promise<void> {
  journal.addRun(plan);
  const { index, threadId, format } = plan;
  const event = { id: `message-${index}`, name: "chaos/message", data: { run: index, threadId, format } };
  await untilAnswered(() =>
    fetch(`${installation.links.engine.url}/e/driver`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(event),
    }),
  );
  journal.count("runs begun");
}

async function cancel({ installation, journal, phase }: LoadContext, { index }: RunPlan): Promise<void> {
  const { sql, links } = installation;
  for (;;) {
    const [run] = await sql`select id from local_engine.run
      where event::jsonb->>'id' = ${`message-${index}`} and function_id = 'chaos-agent'`.catch(() => []);
    if (run) {
      journal.cancelled.add(index);
      await untilAnswered(() => fetch(`${links.engine.url}/v1/runs/${run.id}`, { method: "DELETE" }));
      journal.count("runs cancelled");
      return;
    }
    if (!phase.troubled) return;
    await sleep(300);
  }
}

async function untilAnswered(ask: () => Promise<Response>): Promise<void> {
  for (;;) {
    const response = await ask().catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    if (response?.ok) return;
    await sleep(250);
  }
}

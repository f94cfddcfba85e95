import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { wakeUpsToBeRead } from "./adversary.js";
import { requireFit } from "./built-product.js";
import { decidedUnderAllowing } from "./changing-calls.js";
import { budgetsUsed } from "./check/budgets.js";
import { judgeTurn } from "./check/claimed.js";
import { judgeTakenBackAtOnce } from "./check/decisions.js";
import { judgeEnd } from "./check/final.js";
import { accountsCharged } from "./check/live.js";
import { outlook, pulse, skipPauses, unfinished } from "./check/progress.js";
import { type Rows, readRows } from "./check/rows.js";
import { judgeMarks, undosFailed, undosStarted } from "./check/undos.js";
import { Client } from "./client.js";
import { crashPoints } from "./crash-points.js";
import { Journal } from "./journal.js";
import { runsBegun, startRuns } from "./load.js";
import type { ChaosOptions } from "./options.js";
import { decisionsHeld, decisionsTakenBack, People, worldsChanged } from "./people.js";
import { type PlantName, plants } from "./plants.js";
import { createRandom } from "./random.js";
import { makeReport, type Report } from "./report.js";
import { rowsIfReachable } from "./rows-if-reachable.js";
import { planFaults } from "./scenario/faults.js";
import { planRun } from "./scenario/plan.js";
import { armCrashPoints, carryOutFaults, type Phase, pointsFor } from "./schedule.js";
import { Undoers } from "./undoers.js";
import { type Installation, maxConnections, openInstallation } from "./world/installation.js";
import { unwokenRequests } from "./world/links.js";
import { passLimits } from "./world/pass-limits.js";
import type { Unfinished } from "./world/unfinished.js";

/** What must have happened how often before a drill ends, because its planted bug may show in nothing else. */
const needs: Partial<Record<PlantName, (journal: Journal) => boolean>> = {
  "drop-the-outbox": ({ counts }) => (counts.get(unwokenRequests) ?? 0) >= 3,
  "forget-the-hold": ({ counts }) => (counts.get(decisionsHeld) ?? 0) >= 10,
  "forget-the-take-back": ({ counts }) => (counts.get(decisionsTakenBack) ?? 0) >= 3,
  "trust-the-event": ({ counts }) => (counts.get(wakeUpsToBeRead) ?? 0) >= 3,
  "forget-the-effects": ({ counts }) => (counts.get(worldsChanged) ?? 0) >= 5,
  "forget-the-counts": ({ counts }) => (counts.get(accountsCharged) ?? 0) >= 40,
  "undo-twice": ({ counts }) => (counts.get(undosStarted) ?? 0) >= 10,
  "undo-another-call": ({ counts }) => (counts.get(undosStarted) ?? 0) >= 3,
  "forget-the-mark": ({ counts }) => (counts.get(undosStarted) ?? 0) >= 3,
  "mark-what-failed": ({ counts }) => (counts.get(undosFailed) ?? 0) >= 3,
  "forget-the-budget": ({ counts }) => (counts.get(budgetsUsed) ?? 0) >= 12,
  "judge-again-on-replay": (journal) => decidedUnderAllowing(journal) >= 20,
};
/** The longest time that faults continue because some of it has not happened. */
const extensionMs = 600_000;
/** The time without a new run after which a drill has no place for another: stuck runs take them all. */
const fullMs = 45_000;
/** Long enough for the relay, which runs every minute, to run at least twice. */
const relayPatienceMs = 150_000;
/** The longest time without any progress although work is queued: a server's pause after three failures of one request. */
const busyPatienceMs = 150_000;
/** The longest time that healing may take, even with progress. */
const healingMs = 12 * 60_000;

/** One run of chaos, from an empty database to the report. */
export async function chaos(options: ChaosOptions, log: (line: string) => void): Promise<Report> {
  // If the bug does not fit the product, no process would start.
  if (options.plant) requireFit(plants[options.plant]);
  const random = createRandom("chaos", options.seed);
  const journal = new Journal();
  const phase: Phase & { over: boolean } = { troubled: true, over: false };
  const faults = planFaults(random, options);
  const points = pointsFor(crashPoints(), options);
  const schedule = fingerprint([faults, planRun(random, 0, { longestDelayMs: 1, drill: options.drill })]);
  log(
    `seed ${options.seed}, schedule ${schedule}, ${faults.length} timed faults, ${points.length} crash points`,
  );

  let people: People | undefined;
  let undoers: Undoers | undefined;
  log("starting Postgres and the processes");
  const installation = await openInstallation(options, journal, random, {
    troubled: () => phase.troubled,
    over: () => phase.over,
    onPending: (approvalId) => people?.notice(approvalId),
    onStart: (start) => undoers?.notice(start),
    beforeTurn: (run, turn) => judgeTurn(installation.sql, journal, run, turn),
  });
  const [hurried, over] = [() => !phase.troubled, () => phase.over];
  const client = new Client({ apiUrl: installation.links.api.url, journal, over });
  undoers = new Undoers({ client, journal, hurried, over });
  people = new People({
    ...{ client, undoers, journal, adversary: installation.adversary, hurried },
    onTakenBack: (sent) => judgeTakenBackAtOnce(installation.sql, journal, sent),
  });
  const isFound = () => journal.violations.some(({ name }) => name === options.stopAt);
  const stopped = new Promise<void>((resolve) => {
    journal.onViolation(() => isFound() && resolve());
  });
  journal.onViolation(() => log(`VIOLATED: ${journal.violations.at(-1)?.message}`));
  const ticks = setInterval(() => log(progressLine(journal, phase)), 10_000);
  let rows: Rows | undefined;
  try {
    await register(installation);
    void lookAround(people, installation, journal, phase);
    const missing = () => points.map(({ name }) => name).filter((name) => !journal.crashes.has(name));
    const context = { options, random, installation, journal, phase, missing, drill: options.drill };
    const trouble = Promise.all([
      startRuns(context),
      carryOutFaults(faults, context),
      armCrashPoints(points, context),
    ]);
    // A failure of it fails the run where it is awaited.
    trouble.catch(() => {});
    // A drill for a bug ends as soon as what may show it has happened.
    const isAimed = options.drill && options.plant !== undefined && needs[options.plant] !== undefined;
    await Promise.race([stopped, sleep(isAimed ? 0 : options.durationMs)]);
    const count = (what: string) => journal.counts.get(what) ?? 0;
    const hasHappened = Object.entries(needs).filter(([plant]) => plant === (options.plant ?? plant));
    const enough = () =>
      missing().length === 0 && (!options.drill || hasHappened.every(([, need]) => need(journal)));
    let begun = { runs: count(runsBegun), at: Date.now() };
    for (let waited = 0; !enough() && waited < extensionMs; waited += 500) {
      await Promise.race([stopped, sleep(500)]);
      if (count(runsBegun) > begun.runs) begun = { runs: count(runsBegun), at: Date.now() };
      if (options.drill && Date.now() > begun.at + fullMs) break;
      if (isFound()) break;
    }
    phase.troubled = false;
    log("faults stop, everything heals");
    await Promise.race([stopped, trouble]);
    await Promise.race([stopped, heal(installation)]);
    await Promise.race([stopped, untilEnded(installation, { journal, undoers }, options, log)]);
    if (!isFound()) {
      rows = await readRows(installation.sql, installation.engine);
      judgeEnd(journal, rows);
      await verifyAudit(installation, journal);
    }
    rows ??= await readRows(installation.sql, installation.engine).catch(() => undefined);
    return makeReport(options, journal, {
      schedule,
      points,
      approvals: countStates(rows),
      audit: rows?.audit ?? [],
    });
  } finally {
    clearInterval(ticks);
    phase.troubled = false;
    phase.over = true;
    // A failure to stop Postgres must not hide the result of the run.
    await installation.close().catch((error: unknown) => log(`closing failed: ${String(error)}`));
  }
}

/**
 * A call that was interrupted while its run was cancelled: its handler may still run until its time is over. Or a call
 * that one attempt of a proposal wrote, while another attempt counted, which judged by another policy file.
 */
function endsLater({ kind, status }: Unfinished): boolean {
  return kind === "approval" && (status === "executing" || status === "proposed");
}

async function register({ links }: Installation): Promise<void> {
  for (;;) {
    const response = await fetch(`${links.app.url}/api/inngest`, { method: "PUT" }).catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    if (response?.ok) return;
    await sleep(200);
  }
}

async function lookAround(
  people: People,
  { sql }: Installation,
  journal: Journal,
  phase: { over: boolean },
): Promise<void> {
  while (!phase.over) {
    await people.lookThroughList();
    await judgeMarks(sql, journal);
    await sleep(1000);
  }
}

async function heal({ members, sql }: Installation): Promise<void> {
  for (const member of members) {
    member.arm([]);
    member.shiftClock(0);
  }
  while (members.some(({ port }) => port === undefined)) await sleep(100);
  // postgres.js (3.4.9) fails the first statement of a new connection with the last error of the one that it replaces.
  // One statement on each connection takes these errors, so that none of them fails the judgement.
  const connections = Array.from({ length: maxConnections }, () =>
    rowsIfReachable(sql`select pg_sleep(0.2)`),
  );
  await Promise.all(connections);
}

/** Messages on which no run has begun to work. */
function notBegun({ runs, runIds }: Journal): Unfinished[] {
  return [...runs.keys()]
    .filter((run) => !runIds.has(run))
    .map((run) => ({ kind: "message", id: String(run), status: "without a run", detail: null }));
}

/** Waits for the end of every run. What has not ended when nothing moves any more is reported as stuck. */
async function untilEnded(
  installation: Installation,
  { journal, undoers }: { journal: Journal; undoers: Undoers },
  options: ChaosOptions,
  log: (line: string) => void,
): Promise<void> {
  const { sql, engine } = installation;
  const begun = Date.now();
  let nextWords = begun + 10_000;
  let last = { pulse: "", at: Date.now() };
  let limitPassed = false;
  for (;;) {
    const left = await unfinished(sql, engine).then(
      (rows) => [...notBegun(journal), ...rows],
      (error: unknown) => [{ kind: "list", id: "of all", status: "unreadable", detail: String(error) }],
    );
    if (left.length === 0 && undoers.busy === 0 && journal.sent.every(({ status }) => status !== undefined))
      return;
    const now = await pulse(sql, engine).catch(() => last.pulse);
    if (now !== last.pulse) last = { pulse: now, at: Date.now() };
    const { queued, nextMs } = await outlook(sql, engine).catch(() => ({ queued: 1, nextMs: 0 }));
    // With an empty queue, nothing will move any more; queued work may be slow on a busy machine.
    const patience = Math.max(
      options.patienceMs,
      queued > 0 ? busyPatienceMs : 0,
      limitPassed ? relayPatienceMs : 0,
    );
    const waiting = Date.now() - last.at < patience || nextMs > 0;
    if (Date.now() > nextWords) {
      nextWords += 10_000;
      await skipPauses(sql, engine);
      const [first] = left;
      const unanswered = journal.sent.filter(({ status }) => status === undefined).length;
      log(
        `not finished: ${left.length}, such as ${JSON.stringify(first)}; ${unanswered} decisions without an answer; ${queued} queued, next attempt in ${Math.round(nextMs / 1000)} s`,
      );
    }
    if (!waiting && !limitPassed && left.every(endsLater)) {
      limitPassed = true;
      await passLimits(installation.sql);
      last = { pulse: now, at: Date.now() };
      continue;
    }
    if (!waiting || Date.now() - begun > healingMs) {
      for (const { kind, id, status, detail } of left) {
        journal.violate({
          name: "stuck",
          invariant: "I4",
          message: `The ${kind} ${id} did not finish: ${status}; ${detail}`,
          ...(kind === "approval" ? { approvalId: id } : {}),
          ...(kind === "run" ? { runId: id } : {}),
        });
      }
      if (left.length > 0) return;
    }
    await sleep(500);
  }
}

const cli = fileURLToPath(import.meta.resolve("@countersign/cli/main"));

/**
 * Runs the product's own verification of the audit log. It must name a row that the adversary changed, and find all in order
 * once those rows are as they were. The checker verifies the log independently.
 */
async function verifyAudit({ databaseUrl, sql }: Installation, journal: Journal): Promise<void> {
  const verify = () =>
    promisify(execFile)(process.execPath, [cli, "audit", "verify", "--database-url", databaseUrl])
      .then(({ stdout }) => stdout)
      // It ends with 1 and says on stdout what is wrong.
      .catch((error: unknown) => `${Object(error).stdout}${error}`);
  const changed: string[] = [];
  for (const [id, inputJson] of journal.changedArguments) {
    const rows = await sql`
      select id from countersign.approvals where id = ${id} and input_json <> ${inputJson}`;
    if (rows.length > 0) changed.push(id);
  }
  if (changed.length > 0) {
    const output = await verify();
    if (!changed.some((id) => output.includes(id))) {
      journal.violate({
        name: "unnoticed-change",
        invariant: "I8",
        message: `countersign audit verify names none of the calls whose arguments were changed: ${output}`,
      });
    }
  }
  for (const id of changed) {
    const inputJson = journal.changedArguments.get(id) ?? "";
    await sql`update countersign.approvals set input_json = ${inputJson} where id = ${id}`;
  }
  const output = await verify();
  if (!output.includes("all in order")) {
    journal.violate({
      name: "broken-chain",
      invariant: "I8",
      message: `countersign audit verify: ${output}`,
    });
  }
}

function countStates(rows: Rows | undefined): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of rows?.approvals ?? []) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function progressLine(journal: Journal, { troubled }: Phase): string {
  const seconds = Math.round((Date.now() - journal.startedAt) / 1000);
  const count = (what: string) => journal.counts.get(what) ?? 0;
  const crashes = [...journal.crashes.values()].reduce((sum, times) => sum + times, 0);
  return `${String(seconds).padStart(4)} s ${troubled ? "" : "(healing) "}${count("runs begun")} runs, ${journal.shown.size} calls shown, ${journal.sent.length} decisions, ${journal.starts.length} starts, ${crashes} crashes at points, ${journal.violations.length} violations`;
}

function fingerprint(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 12);
}

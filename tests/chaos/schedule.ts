import { setTimeout as sleep } from "node:timers/promises";
import type { CrashPoint } from "./crash-points.js";
import type { Journal } from "./journal.js";
import type { ChaosOptions } from "./options.js";
import type { Random } from "./random.js";
import { rowsIfReachable } from "./rows-if-reachable.js";
import type { Fault } from "./scenario/faults.js";
import type { Member } from "./world/fleet.js";
import type { Installation } from "./world/installation.js";
import { answersOfApps } from "./world/links.js";

/** True while faults still happen. */
export interface Phase {
  troubled: boolean;
}

/** Requests that apps carry out between two faults, so that a slow machine makes progress. */
const workBetween = 20;

/** Milliseconds between the reloads with which a drill goes on after its planned faults. */
const reloadMs = 4000;

/**
 * Causes each planned fault at its time, or later once apps have done some work since the last fault. A drill that goes on
 * after them needs people to be asked about calls of the changing policy.
 */
export async function carryOutFaults(
  faults: readonly Fault[],
  {
    installation,
    journal,
    phase,
    drill,
  }: { installation: Installation; journal: Journal; phase: Phase; drill: boolean },
): Promise<void> {
  const begun = Date.now();
  const work = () => journal.counts.get(answersOfApps) ?? 0;
  let before = work();
  for (const fault of faults) {
    await sleep(Math.max(0, fault.at - (Date.now() - begun)));
    while (phase.troubled && work() < before + workBetween) await sleep(100);
    if (!phase.troubled) return;
    await carryOut(fault, installation, journal);
    before = work();
  }
  for (let asking = true; drill && phase.troubled; asking = !asking) {
    const file = asking ? "asking" : "allowing";
    await carryOut({ at: 0, kind: "reload policy", file }, installation, journal);
    await sleep(reloadMs);
  }
}

async function carryOut(
  fault: Fault,
  { members, server, sql, links, messages, reloadPolicy }: Installation,
  journal: Journal,
): Promise<void> {
  const member = (role: Member["role"], index: number) =>
    members.find((candidate) => candidate.role === role && candidate.index === index);
  switch (fault.kind) {
    case "kill": {
      const target = member(fault.role, fault.index);
      if (!target) {
        // The engine does not belong to this installation, and would lose its runs if it were killed.
        links.cutOffEngine(fault.downMs);
        journal.count("fault: engine cut off");
        return;
      }
      target.kill(fault.downMs);
      journal.count(`fault: kill -9 of ${fault.role}`);
      return;
    }
    case "shift clock":
      member(fault.role, fault.index)?.shiftClock(fault.offsetMs);
      journal.count(`fault: clock of ${fault.role} shifted`);
      return;
    case "terminate connections":
      await rowsIfReachable(sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = 'chaos' and pid <> pg_backend_pid()`);
      journal.count("fault: connections terminated");
      return;
    case "reload policy":
      reloadPolicy(fault.file);
      journal.count(`fault: policy reloaded (${fault.file})`);
      return;
    case "channels down":
      messages.goDown(fault.how, fault.downMs);
      journal.count(`fault: channels down (${fault.how})`);
      return;
    case "restart Postgres":
      await server.halt(fault.mode);
      await sleep(fault.downMs);
      await server.resume();
      journal.count(`fault: Postgres restarted, ${fault.mode}`);
  }
}

interface Slot {
  role: CrashPoint["role"];
  member: Member | undefined;
  until: number;
}

/** Milliseconds for which a process may live without reaching one of its points. */
const armedMs = 15_000;

/** Milliseconds after a death until the next process is chosen: until every point of its kind has been hit, and from then on. */
const pauses = { drill: [1500, 3000], first: [1000, 3000], later: [5000, 12_000] } as const;

/**
 * Kills processes at the named points: a few processes at a time, each at the first that it reaches of the points that
 * were hit least often.
 */
export async function armCrashPoints(
  points: readonly CrashPoint[],
  {
    random,
    installation,
    journal,
    phase,
    drill,
  }: {
    random: Random;
    installation: Installation;
    journal: Journal;
    phase: Phase;
    drill: boolean;
  },
): Promise<void> {
  const own = random.of("crash points");
  const pause = (role: CrashPoint["role"]) => {
    const known = points.every((point) => point.role !== role || journal.crashes.has(point.name));
    const [least, most] = pauses[drill ? "drill" : known ? "later" : "first"];
    return own.int(least, most);
  };
  // Some work should happen before the first death, and other processes should work while one restarts.
  const slots: Slot[] = (drill ? (["app", "api"] as const) : (["app", "app", "api"] as const)).map(
    (role) => ({ role, member: undefined, until: Date.now() + pauses.first[1] }),
  );
  while (phase.troubled) {
    for (const slot of slots) {
      const rare = rarest(points, journal, slot.role);
      // A short run hits each point once.
      const names = drill ? rare.filter((name) => !journal.crashes.has(name)) : rare;
      if (slot.member && slot.member.armed.length === 0) {
        Object.assign(slot, { member: undefined, until: Date.now() + pause(slot.role) });
      } else if (slot.member && String(slot.member.armed) !== String(names)) {
        slot.member.arm(names);
      }
      if (Date.now() < slot.until) continue;
      slot.member?.arm([]);
      const peers = installation.members.filter(({ role }) => role === slot.role);
      // A slow machine restarts a process slowly, and nothing would get done between two deaths.
      if (peers.some(({ port }) => port === undefined)) continue;
      const member = peers.find(({ armed }) => armed.length === 0);
      if (!member || names.length === 0) continue;
      member.arm(names);
      Object.assign(slot, { member, until: Date.now() + armedMs });
    }
    await sleep(100);
  }
  for (const { member } of slots) member?.arm([]);
}

/** The points of this role that were hit least often. */
function rarest(points: readonly CrashPoint[], journal: Journal, role: CrashPoint["role"]): string[] {
  const hits = (name: string) => journal.crashes.get(name) ?? 0;
  const its = points.filter((point) => point.role === role).map(({ name }) => name);
  const least = Math.min(...its.map(hits));
  return its.filter((name) => hits(name) === least);
}

/** Points at which the short run kills: those behind which the planted bugs hide. */
export function pointsFor(
  points: readonly CrashPoint[],
  { drill, points: only }: ChaosOptions,
): readonly CrashPoint[] {
  if (only) return points.filter(({ name }) => only.includes(name));
  const few = ["after-decision", "after-claim", "after-handler", "after-announce"];
  return drill ? points.filter(({ name }) => few.includes(name)) : points;
}

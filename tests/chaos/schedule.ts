import { setTimeout as sleep } from "node:timers/promises";
import type { CrashPoint } from "./crash-points.js";
import type { Journal } from "./journal.js";
import type { ChaosOptions } from "./options.js";
import type { Random } from "./random.js";
import type { Fault } from "./scenario/faults.js";
import type { Member } from "./world/fleet.js";
import type { Installation } from "./world/installation.js";

/** Whether things still go wrong. */
export interface Phase {
  troubled: boolean;
}

/** Lets everything that was planned go wrong at its time. */
export async function carryOutFaults(
  faults: readonly Fault[],
  { installation, journal, phase }: { installation: Installation; journal: Journal; phase: Phase },
): Promise<void> {
  const begun = Date.now();
  for (const fault of faults) {
    await sleep(Math.max(0, fault.at - (Date.now() - begun)));
    if (!phase.troubled) return;
    await carryOut(fault, installation, journal);
  }
}

async function carryOut(
  fault: Fault,
  { members, server, sql }: Installation,
  journal: Journal,
): Promise<void> {
  const member = (role: Member["role"], index: number) =>
    members.find((candidate) => candidate.role === role && candidate.index === index);
  switch (fault.kind) {
    case "kill":
      member(fault.role, fault.index)?.kill(fault.downMs);
      journal.count(`fault: kill -9 of ${fault.role}`);
      return;
    case "shift clock":
      member(fault.role, fault.index)?.shiftClock(fault.offsetMs);
      journal.count(`fault: clock of ${fault.role} shifted`);
      return;
    case "terminate connections":
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = 'chaos' and pid <> pg_backend_pid()`.catch(() => []);
      journal.count("fault: connections terminated");
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
  point: string | undefined;
  until: number;
}

/** Milliseconds for which a process is let live with a point that it does not come to. */
const armedMs = 15_000;

/**
 * Kills processes at the named points, those first that have not been hit: a few processes at a time, each with one point
 * at which it will die.
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
  const order = own.shuffle(points);
  const [least, most] = drill ? [1500, 3000] : [1000, 4000];
  // Some work is to be done before the first death, and by somebody else while a process starts again.
  const slots: Slot[] = (drill ? (["app", "api"] as const) : (["app", "app", "api"] as const)).map(
    (role) => ({
      role,
      member: undefined,
      point: undefined,
      until: Date.now() + most,
    }),
  );
  while (phase.troubled) {
    for (const slot of slots) {
      const hit = slot.member !== undefined && slot.member.armed === undefined;
      if (hit)
        Object.assign(slot, {
          member: undefined,
          point: undefined,
          until: Date.now() + own.int(least, most),
        });
      if (Date.now() < slot.until) continue;
      slot.member?.arm(undefined);
      const taken = slots.map(({ point }) => point);
      // A short run has hit each point once and is done with it.
      const left = drill ? order.filter(({ name }) => !journal.crashes.has(name)) : order;
      const next = nextPoint(left, journal, slot, taken);
      const member = installation.members.find(
        ({ role, armed, port }) => role === slot.role && armed === undefined && port !== undefined,
      );
      if (!next || !member) continue;
      member.arm(next);
      Object.assign(slot, { member, point: next, until: Date.now() + armedMs });
    }
    await sleep(100);
  }
  for (const { member } of slots) member?.arm(undefined);
}

/** The point of this role that was hit least often and is not armed anywhere; of several, the first in the seed's order. */
function nextPoint(
  order: readonly CrashPoint[],
  journal: Journal,
  slot: Slot,
  taken: readonly (string | undefined)[],
): string | undefined {
  const hits = (name: string) => journal.crashes.get(name) ?? 0;
  return order
    .filter(({ role, name }) => role === slot.role && !taken.includes(name))
    .sort((a, b) => hits(a.name) - hits(b.name))[0]?.name;
}

/** Points at which the short run kills: those behind which the planted bugs hide. */
export function pointsFor(points: readonly CrashPoint[], { drill }: ChaosOptions): readonly CrashPoint[] {
  const few = ["after-decision", "after-claim", "after-handler", "after-announce"];
  return drill ? points.filter(({ name }) => few.includes(name)) : points;
}

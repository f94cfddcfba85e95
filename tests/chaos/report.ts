import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { AuditRow } from "./check/rows.js";
import type { CrashPoint } from "./crash-points.js";
import type { Journal, Violation } from "./journal.js";
import type { ChaosOptions } from "./options.js";

export interface Report {
  seed: string;
  plant: string | null;
  drill: boolean;
  minutes: number;
  seconds: number;
  schedule: string;
  passed: boolean;
  counts: Record<string, number>;
  approvals: Record<string, number>;
  crashPoints: Record<string, number>;
  neverHit: string[];
  violations: (Violation & { timeline: string[] })[];
}

export interface Findings {
  schedule: string;
  points: readonly CrashPoint[];
  approvals: Record<string, number>;
  audit: readonly AuditRow[];
}

export function makeReport(options: ChaosOptions, journal: Journal, findings: Findings): Report {
  const { schedule, points, approvals, audit } = findings;
  const crashPoints = Object.fromEntries(points.map(({ name }) => [name, journal.crashes.get(name) ?? 0]));
  const neverHit = options.drill
    ? []
    : points.filter(({ name }) => !crashPoints[name]).map(({ name }) => name);
  return {
    seed: options.seed,
    plant: options.plant ?? null,
    drill: options.drill,
    minutes: options.durationMs / 60_000,
    seconds: Math.round((Date.now() - journal.startedAt) / 1000),
    schedule,
    passed: journal.violations.length === 0 && neverHit.length === 0,
    counts: Object.fromEntries([...journal.counts].sort(([a], [b]) => a.localeCompare(b))),
    approvals,
    crashPoints,
    neverHit,
    violations: journal.violations.map((violation) => ({
      ...violation,
      timeline: timeline(audit, violation.approvalId),
    })),
  };
}

function timeline(audit: readonly AuditRow[], approvalId: string | undefined): string[] {
  if (approvalId === undefined) return [];
  return audit
    .filter((entry) => entry.approval_id === approvalId)
    .map(
      ({ at, type, actor_id, data }) =>
        `${at.toISOString()} ${type} ${actor_id ?? "-"} ${JSON.stringify(data)}`,
    );
}

/** The report as text, for the person who ran it. */
export function describe(report: Report): string {
  const lines = [
    "",
    `Chaos, seed ${report.seed}${report.plant ? `, with the bug ${report.plant}` : ""}: ${report.minutes} minutes of trouble, ${report.seconds} s in all, schedule ${report.schedule}`,
    "",
    ...Object.entries(report.counts).map(([what, times]) => `  ${String(times).padStart(6)}  ${what}`),
    "",
    `  Approvals: ${listed(report.approvals)}`,
    `  Crash points: ${listed(report.crashPoints)}`,
  ];
  if (report.neverHit.length > 0) lines.push(`  NEVER HIT: ${report.neverHit.join(", ")}`);
  lines.push("");
  for (const { name, invariant, message, approvalId, ref, runId, timeline } of report.violations.slice(
    0,
    30,
  )) {
    lines.push(`VIOLATED ${invariant} ${name}: ${message}`);
    lines.push(
      `  seed ${report.seed}, approval ${approvalId ?? "-"}, call ${ref ?? "-"}, run ${runId ?? "-"}`,
    );
    lines.push(...timeline.map((entry) => `  ${entry}`));
  }
  lines.push(
    report.violations.length > 0
      ? `${report.violations.length} violations. To repeat the schedule: npm run chaos -- --seed ${report.seed} --minutes ${report.minutes}${report.drill ? " --drill" : ""}${report.plant ? ` --plant ${report.plant}` : ""}`
      : report.passed
        ? "No invariant was violated."
        : "No invariant was violated, but not every crash point was hit.",
  );
  return lines.join("\n");
}

function listed(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([name, times]) => `${name} ${times}`)
    .join(", ");
}

export function writeReport(report: Report, file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
}

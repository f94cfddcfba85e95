import { relative, sep } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take long, by the part of a run that they took on two cores, in seconds. Others count as none. */
const seconds: Record<string, number> = {
  "tests/chaos/plants.test.ts": 336,
  "tests/durability/kill-nine.test.ts": 264,
  "tests/durability/replay/always-replaying.test.ts": 235,
  "tests/durability/lost-runs.test.ts": 190,
  "tests/browser/front-page.test.ts": 188,
  "tests/audit/seal.test.ts": 176,
  "tests/history/several-networks.test.ts": 156,
  "tests/channels/every-end.test.ts": 139,
  "tests/history/failed-runs.test.ts": 131,
  "tests/browser/unreviewed.test.ts": 126,
  "tests/security/forged-proofs/grants.test.ts": 120,
  "tests/browser/accessibility.test.ts": 110,
  "tests/channels/killed-process.test.ts": 108,
  "tests/security/forged-proofs/people.test.ts": 108,
  "tests/channels/command-line.test.ts": 107,
  "tests/conformance/src/conformance.test.ts": 107,
  "tests/security/forged-proofs/told.test.ts": 101,
  "tests/browser/use-agent.test.ts": 101,
  "tests/security/forged-proofs/rows.test.ts": 100,
  "tests/durability/model/approval-life.test.ts": 99,
  "tests/browser/messages.test.ts": 98,
  "tests/audit/command-line.test.ts": 94,
  "tests/browser/interruptions.test.ts": 78,
  "tests/decisions/ladder.test.ts": 75,
  "tests/browser/stops.test.ts": 74,
  "tests/agents/guarded-everywhere.test.ts": 74,
  "packages/local-engine/src/sdk-tests/limits.test.ts": 74,
  "tests/stops/command-line.test.ts": 74,
  "tests/history/without-network.test.ts": 73,
  "tests/agents/start-errors.test.ts": 70,
  "tests/decisions/evidence.test.ts": 69,
  "tests/policy/changed-mid-run.test.ts": 68,
  "tests/browser/deciding.test.ts": 65,
  "tests/api/events.test.ts": 64,
  "tests/audit/prune.test.ts": 64,
  "tests/agents/every-kind-of-tool.test.ts": 63,
  "tests/api/document.test.ts": 62,
  "tests/browser/front-page-keyboard.test.ts": 60,
  "tests/database/many-pending.test.ts": 60,
  "tests/durability/concurrent-verbs.test.ts": 59,
  "packages/local-engine/src/durability/retention.test.ts": 38,
  "packages/local-engine/src/durability/restart.test.ts": 34,
};

/** A worker serves one project after the other, and the shortest files come last. */
const projects = ["integration-alone", "browser", "integration", "unit"];

/** Starts the files that take long first, so that no core waits for one of them at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placed = files.map((file) => {
      const path = relative(this.ctx.config.root, file.moduleId).split(sep).join("/");
      return { file, project: projects.indexOf(file.project.name), seconds: seconds[path] ?? 0, path };
    });
    placed.sort((a, b) => a.project - b.project || b.seconds - a.seconds || (a.path < b.path ? -1 : 1));
    return placed.map(({ file }) => file);
  }
}

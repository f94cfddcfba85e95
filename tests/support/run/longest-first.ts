import { relative, sep } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take long, by the part of a run that they took on two cores, in seconds. Others count as none. */
const seconds: Record<string, number> = {
  "tests/chaos/plants.test.ts": 140,
  "tests/browser/front-page.test.ts": 105,
  "tests/conformance/src/conformance.test.ts": 81,
  "tests/durability/kill-nine/calls.test.ts": 80,
  "tests/browser/accessibility.test.ts": 78,
  "tests/browser/taking-back.test.ts": 68,
  "tests/browser/batch.test.ts": 53,
  "tests/browser/covered.test.ts": 50,
  "tests/browser/undoing.test.ts": 49,
  "tests/browser/deciding.test.ts": 46,
  "tests/durability/replay/always-replaying.test.ts": 46,
  "tests/browser/triage.test.ts": 46,
  "tests/durability/lost-runs.test.ts": 45,
  "tests/browser/front-page-keyboard.test.ts": 42,
  "tests/browser/many.test.ts": 41,
  "tests/browser/killed-server.test.ts": 40,
  "tests/history/several-networks.test.ts": 38,
  "tests/browser/snooze.test.ts": 37,
  "tests/browser/unreviewed.test.ts": 37,
  "tests/durability/asked-once/asked-once.test.ts": 34,
  "tests/browser/use-agent.test.ts": 34,
  "tests/browser/commands.test.ts": 34,
  "tests/browser/safe-hands.test.ts": 33,
  "tests/durability/renamed-calls.test.ts": 30,
  "tests/durability/kill-nine/undo-and-limits.test.ts": 30,
  "tests/browser/batch-interrupted.test.ts": 29,
  "tests/core/undo.test.ts": 28,
  "tests/database/many-pending.test.ts": 28,
  "tests/browser/push.test.ts": 28,
  "tests/docs/tutorial.test.ts": 28,
  "tests/channels/email/scanners.test.ts": 27,
  "tests/core/chat.test.ts": 26,
  "tests/browser/drafts.test.ts": 26,
  "tests/browser/interruptions.test.ts": 25,
  "tests/browser/questions.test.ts": 24,
  "tests/browser/call-history.test.ts": 23,
  "tests/channels/through-the-engine.test.ts": 22,
  "tests/core/sizes.test.ts": 22,
  "packages/countersign/src/store/connection/lost-connections.postgres.test.ts": 22,
  "tests/browser/server-questions.test.ts": 22,
  "packages/local-engine/src/sdk-tests/limits.test.ts": 22,
  "apps/demo/src/app.test.ts": 21,
  "tests/stops/mid-run.test.ts": 21,
  "tests/durability/racing-budgets.test.ts": 21,
  "tests/limits/racing-calls.test.ts": 20,
  "tests/core/redeploy-mid-run.test.ts": 20,
  "tests/limits/repeated-steps.test.ts": 20,
  "tests/channels/killed-process.test.ts": 20,
  "tests/mcp/forged-states.test.ts": 20,
  "tests/browser/stops.test.ts": 20,
  "tests/core/previews.test.ts": 19,
  "tests/core/claims.test.ts": 19,
  "tests/docs/any-agent.test.ts": 19,
  "tests/browser/assigning.test.ts": 19,
};

/** A worker serves one project after the other, and the shortest files come last. */
const projects = ["proofs", "integration-alone", "browser", "pages", "integration", "core", "unit"];

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

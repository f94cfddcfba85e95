import { relative, sep } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take long, by the part of a run that they took on two cores, in seconds. Others count as none. */
const seconds: Record<string, number> = {
  "tests/chaos/plants.test.ts": 140,
  "tests/conformance/src/conformance.test.ts": 81,
  "tests/durability/kill-nine/calls.test.ts": 80,
  "tests/browser/accessibility.test.ts": 78,
  "tests/browser/front-page.test.ts": 68,
  "tests/browser/unreviewed.test.ts": 63,
  "tests/browser/use-agent.test.ts": 47,
  "tests/durability/replay/always-replaying.test.ts": 46,
  "tests/durability/asked-once/asked-once.test.ts": 35,
  "tests/durability/lost-runs.test.ts": 30,
  "tests/durability/kill-nine/undo-and-limits.test.ts": 30,
  "tests/history/several-networks.test.ts": 30,
  "tests/durability/undo-model/undo-life.test.ts": 30,
  "tests/database/many-pending.test.ts": 29,
  "tests/channels/through-the-engine.test.ts": 26,
  "tests/core/channel-gate.test.ts": 25,
  "tests/limits/counts-model.test.ts": 25,
  "tests/browser/deciding.test.ts": 24,
  "tests/core/quorum.test.ts": 23,
  "tests/durability/lost-connections.test.ts": 21,
  "tests/core/sizes.test.ts": 21,
  "tests/core/claims.test.ts": 20,
  "tests/mcp/older-servers-over-http.test.ts": 20,
  "tests/browser/stops.test.ts": 19,
  "tests/browser/bulk.test.ts": 19,
  "tests/browser/small-screens.test.ts": 18,
  "tests/browser/interruptions.test.ts": 18,
  "packages/local-engine/src/sdk-tests/limits.test.ts": 17,
  "tests/browser/front-page-keyboard.test.ts": 17,
  "tests/audit/prune.test.ts": 16,
  "tests/core/stops.test.ts": 16,
  "tests/channels/killed-process.test.ts": 16,
  "tests/channels/email/scanners.test.ts": 16,
  "tests/durability/model/approval-life.test.ts": 15,
  "tests/core/chat.test.ts": 15,
  "tests/browser/assigning.test.ts": 15,
  "tests/core/what-you-saw-is-what-runs.test.ts": 15,
  "tests/durability/renamed-calls.test.ts": 15,
  "tests/mcp/older-servers.test.ts": 14,
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

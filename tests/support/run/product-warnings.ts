import type { UserConsoleLog } from "vitest";
import type { Reporter, Vitest } from "vitest/node";

/** Names the tests that let the product print a warning, at the end. What passed tests print is not shown otherwise. */
export class ProductWarnings implements Reporter {
  #vitest: Vitest | undefined;
  readonly #found = new Map<string, string>();

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onUserConsoleLog({ content, taskId }: UserConsoleLog): void {
    const [warning] = /^Countersign: .*/m.exec(content) ?? [];
    if (warning === undefined) return;
    const task = taskId === undefined ? undefined : this.#vitest?.state.idMap.get(taskId);
    this.#found.set(task ? `${task.file.name} > ${task.name}` : "outside of the tests", warning);
  }

  onTestRunEnd(): void {
    if (this.#found.size === 0) return;
    const lines = [...this.#found].map(([test, warning]) => `  ${test}\n    ${warning.slice(0, 160)}`);
    console.log(`Tests in which the product printed a warning that they do not take:\n${lines.join("\n")}`);
  }
}

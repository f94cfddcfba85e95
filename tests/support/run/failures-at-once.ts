import type { Reporter, TestCase } from "vitest/node";

/**
 * Prints why a test failed when it fails, and the command that repeats it. The default reporter does so after the last test,
 * which may be a long time.
 */
export class FailuresAtOnce implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state !== "failed") return;
    const { relativeModuleId: file } = test.module;
    const reasons = errors.map(({ stack, message, diff }) => [own(stack) ?? message, diff].join("\n"));
    const again = `npx vitest run --project ${test.project.name} ${file} -t ${pattern(test)}`;
    console.error(`FAILED ${file} > ${test.fullName}\n${reasons.join("\n")}\nRepeat it: ${again}\n`);
  }
}

/** A stack without the lines of Vitest. */
function own(stack: string | undefined): string | undefined {
  return stack
    ?.split("\n")
    .filter((line) => !line.includes("/node_modules/@vitest/"))
    .join("\n");
}

/** A pattern for the shell that only this test's name matches: Vitest joins those of its groups and its own by a space. */
function pattern(test: TestCase): string {
  const names = [test.name];
  for (let { parent } = test; parent.type === "suite"; { parent } = parent) names.unshift(parent.name);
  const exactly = names.join(" ").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return `'^${exactly.replaceAll("'", "'\\''")}$'`;
}

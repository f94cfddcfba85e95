import type { Reporter, TestCase } from "vitest/node";

type Failure = Partial<Record<"stack" | "message" | "diff", string>> & {
  /** Of a `SuppressedError`: what the end of an `await using` threw, and what the test had thrown before. */
  error?: Failure;
  suppressed?: Failure;
};

/**
 * Prints why a test failed when it fails, and the command that repeats it. The default reporter does so after the last test,
 * which may be a long time.
 */
export class FailuresAtOnce implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state !== "failed") return;
    const { relativeModuleId: file } = test.module;
    const reasons = errors.flatMap((error) => failuresOf(error as Failure)).map(reasonOf);
    const again = `npx vitest run --project ${test.project.name} ${file} -t ${pattern(test)}`;
    console.error(`FAILED ${file} > ${test.fullName}\n${reasons.join("\n")}\nRepeat it: ${again}\n`);
  }
}

/** The failure, or those that it holds: what the test threw first, before what its end threw. */
function failuresOf(failure: Failure): Failure[] {
  const { error, suppressed } = failure;
  return error && suppressed ? [...failuresOf(suppressed), ...failuresOf(error)] : [failure];
}

const reasonOf = ({ stack, message, diff }: Failure) => [own(stack) ?? message, diff].join("\n");

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

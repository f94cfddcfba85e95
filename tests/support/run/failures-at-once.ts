import type { Reporter, TestCase } from "vitest/node";

/** Prints why a test failed when it fails. The default reporter does so after the last test, which may be a long time. */
export class FailuresAtOnce implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state !== "failed") return;
    const reasons = errors.map(({ stack, message, diff }) => [stack ?? message, diff].join("\n"));
    console.error(`FAILED ${test.module.relativeModuleId} > ${test.fullName}\n${reasons.join("\n")}\n`);
  }
}

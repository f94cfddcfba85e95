/** Calls of Inngest's step tools: `step.run(`, `step?.ai.infer(` and so on. */
const stepCall =
  /\bstep\s*\??\.\s*(run|sleep|sleepUntil|invoke|waitForEvent|waitForSignal|sendEvent|sendSignal|fetch|ai\s*\??\.\s*(?:infer|wrap))\s*\(/;
const comments = /\/\*[\s\S]*?\*\/|\/\/.*$/gm;

/**
 * The step tool that a function's own source calls, such as `step.run`; `undefined` if none is seen. This finds the
 * common mistake before anybody is asked. What it does not see is refused when the function runs.
 */
export function stepToolIn(execute: (...args: never[]) => unknown): string | undefined {
  const found = stepCall.exec(String(execute).replace(comments, ""));
  return found?.[1] && `step.${found[1].replace(/[\s?]/g, "")}`;
}

import type { Runtime } from "../runtime.js";
import type { InngestRun } from "./inngest-run.js";

const pinned = new WeakMap<object, Promise<string>>();

/** The policy's version when the run met its first tool call: one step a run, however many responses follow. */
export function pinnedPolicyVersion(runtime: Runtime, run: InngestRun): Promise<string> {
  const known = pinned.get(run.execution);
  if (known) return known;
  const version = run.step.run("countersign:policy", () => runtime.policy.version);
  pinned.set(run.execution, version);
  return version;
}

import { WorkLimit } from "../../bounded/work-limit.js";
import { compileCondition } from "../rules/condition.js";
import { type ReadCall, readCall, withRequester } from "./call-arguments.js";
import type { DecidedCall } from "./decided-call.js";

/** The first call to which a rule with this condition applies. `inDoubt`: whether it does if it cannot be evaluated. */
export function firstCovered(
  when: string,
  calls: readonly DecidedCall[],
  { inDoubt }: { inDoubt: boolean },
): ReadCall | undefined {
  const found = calls.find((decided) => covers(when, decided, inDoubt));
  return found && withRequester(readCall(found) ?? { decided: found, arguments: [], shape: "" });
}

function covers(when: string, { call }: DecidedCall, inDoubt: boolean): boolean {
  try {
    return new WorkLimit().run((meter) => compileCondition(when).holds(call, meter));
  } catch {
    return inDoubt;
  }
}

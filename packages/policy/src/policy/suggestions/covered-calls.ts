import { WorkLimit } from "../../bounded/work-limit.js";
import { withPauses } from "../../shared/with-pauses.js";
import { compileCondition } from "../rules/condition.js";
import { type ReadCall, readCall, withRequester } from "./call-arguments.js";
import type { DecidedCall } from "./decided-call.js";

/** The first call to which a rule with this condition applies. `inDoubt`: whether it does if it cannot be evaluated. */
export async function firstCovered(
  when: string,
  calls: readonly DecidedCall[],
  { inDoubt }: { inDoubt: boolean },
): Promise<ReadCall | undefined> {
  for await (const decided of withPauses(calls)) {
    if (!covers(when, decided, inDoubt)) continue;
    return withRequester(readCall(decided) ?? { decided, arguments: [], shape: "" });
  }
  return undefined;
}

function covers(when: string, { call }: DecidedCall, inDoubt: boolean): boolean {
  try {
    return new WorkLimit().run((meter) => compileCondition(when).holds(call, meter));
  } catch {
    return inDoubt;
  }
}

import type { Journal } from "./journal.js";
import type { ToolName } from "./scenario/tools.js";

/** Milliseconds in which every process has read a replaced policy file. */
const readMs = 1000;

/**
 * Calls that a person decided while the present policy file allows all calls of their response, although another one had
 * asked about them: a replay that judges them anew would let them run.
 */
export function decidedUnderAllowing({ policies, shown, calls, sent }: Journal): number {
  const allowed: readonly ToolName[] = ["adjust", "lookup"];
  const ofResponse = (ref: string) => {
    const its = calls.get(ref);
    return [...calls.values()].filter(({ run, turn }) => run === its?.run && turn === its.turn);
  };
  const isUnderAllowing = (at: number) => {
    const present = policies.findLast((policy) => policy.at <= at);
    return present?.file === "allowing" && present.at + readMs <= at;
  };
  return [...shown.values()].filter(
    ({ approvalId, call }) =>
      call.tool === "adjust" &&
      ofResponse(call.ref).every(({ tool }) => allowed.includes(tool)) &&
      sent.some((each) => each.approvalId === approvalId && each.status === 200 && isUnderAllowing(each.at)),
  ).length;
}

import { z } from "zod";
import type { InngestRun } from "../run/inngest-run.js";
import type { Runtime } from "../runtime.js";

// Responses whose calls are all allowed leave no step. The run's next proposal records them in its own step, so that a
// replay under another policy knows that they have run.

/** What the step of a proposal records about the responses before it. */
const allowedBeforeSchema = z.object({ key: z.string(), allowedBefore: z.array(z.string()) });

const unnoted = new WeakMap<object, WeakMap<Runtime, string[]>>();
const noted = new WeakMap<object, ReadonlySet<string>>();

/** The step of a response's proposal. */
export function proposalStep(key: string): string {
  return `countersign:propose:${key}`;
}

/** Remembers, until the next proposal, a response that needs none. */
export function rememberAllowed(runtime: Runtime, { execution }: InngestRun, key: string): void {
  const ofExecution = unnoted.get(execution) ?? new WeakMap<Runtime, string[]>();
  unnoted.set(execution, ofExecution);
  ofExecution.set(runtime, [...(ofExecution.get(runtime) ?? []), key]);
}

/** The responses since the last proposal that needed none, for this proposal to record. */
export function takeAllowed(runtime: Runtime, { execution }: InngestRun): string[] {
  const ofExecution = unnoted.get(execution);
  const keys = ofExecution?.get(runtime) ?? [];
  ofExecution?.delete(runtime);
  return keys;
}

/** True if an earlier proposal of the run recorded the calls of this response as allowed. */
export function wasAllowedBefore(run: InngestRun, key: string): boolean {
  let keys = noted.get(run.execution);
  if (!keys) {
    keys = new Set(
      run.outputs().flatMap(({ isOf, output }) => {
        const proposal = allowedBeforeSchema.safeParse(output);
        // Only that proposal's own step counts: other steps return what tools and models make up.
        return proposal.success && isOf(proposalStep(proposal.data.key)) ? proposal.data.allowedBefore : [];
      }),
    );
    noted.set(run.execution, keys);
  }
  return keys.has(key);
}

import { createHmac } from "node:crypto";
import { z } from "zod";
import type { InngestRun } from "../run/inngest-run.js";
import type { Runtime } from "../runtime.js";

/** What stays the same for a whole run. */
export interface PinnedRun {
  /** The policy's version at the run's first tool call. */
  policyVersion: string;
  /**
   * Secret part of the names that are derived from the model's output. People see ids, and must not be able to test
   * guesses of hidden values against them. It is the same whenever the run's request is repeated; otherwise the run
   * would propose its calls twice. `null` in runs that began with an earlier version, whose names have none.
   */
  salt: string | null;
  /** Calls get ids that are unique in their conversation. Not in runs that began with an earlier version. */
  uniqueCallIds: boolean;
}

const pinned = new WeakMap<object, WeakMap<Runtime, Promise<PinnedRun>>>();

const outputSchema = z.union([
  z.object({ policyVersion: z.string(), salt: z.string(), uniqueCallIds: z.boolean().default(false) }),
  z.string().transform((policyVersion) => ({ policyVersion, salt: null, uniqueCallIds: false })),
]);

/** One step per run and instance, however many responses follow. */
export function pinnedRun(runtime: Runtime, run: InngestRun): Promise<PinnedRun> {
  const ofRun = pinned.get(run.execution) ?? new WeakMap<Runtime, Promise<PinnedRun>>();
  pinned.set(run.execution, ofRun);
  const known = ofRun.get(runtime);
  if (known) return known;
  const output = run.step
    .run(`${runtime.id}:policy`, async () => ({
      policyVersion: runtime.policy.version,
      salt: saltOf(await runtime.store.nameSecret(), run.runId),
      uniqueCallIds: true,
    }))
    .then((memoized: unknown) => outputSchema.parse(memoized));
  ofRun.set(runtime, output);
  return output;
}

function saltOf(secret: string, runId: string): string {
  return createHmac("sha256", secret).update(runId).digest("base64url").slice(0, 22);
}

import type { Logger } from "@countersign/policy/internal/shared/logger";
import type { InngestFunction } from "inngest";
import { earliestMs } from "../approval/first-deadline.js";
import type { Proposed } from "../approval/proposed.js";
import { type Decided, decidedOf } from "../orchestrator/decided.js";
import type { WaitData } from "../orchestrator/events.js";
import { orchestratorResult } from "../orchestrator/orchestrator.js";
import type { GateRuntime } from "./gate.js";

/** The step tools that a wait needs. */
export interface WaitingSteps {
  run(id: string, work: () => Promise<Decided[]>): Promise<unknown>;
  invoke(id: string, options: { function: InngestFunction.Any; data: object }): Promise<unknown>;
}

interface WaitingRuntime extends Pick<GateRuntime, "store" | "signer"> {
  readonly orchestrator: InngestFunction.Any;
  readonly logger: Logger;
}

/**
 * Waits until no call of a request is open, by invoking the orchestrator. If even that fails, ends the request in the
 * database, so that it does not stay open.
 *
 * @param name Names the wait within its run, the same on every replay.
 * @param waiting The calls that wait.
 */
export async function awaitDecisions(
  { store, signer, orchestrator, logger }: WaitingRuntime,
  steps: WaitingSteps,
  name: string,
  requestId: string,
  waiting: readonly Pick<Proposed, "deadlineMs">[],
): Promise<Decided[]> {
  try {
    const deadlineMs = earliestMs(waiting.map((call) => call.deadlineMs));
    const data: WaitData = { requestId, deadlineMs };
    const result = await steps.invoke(`countersign:await:${name}`, { function: orchestrator, data });
    return orchestratorResult.parse(result).decisions;
  } catch (error) {
    logger.error(
      "Waiting for decisions failed, so the open calls are withdrawn. Check that countersign.functions are served, by the Inngest client that createCountersign got.",
      { requestId, error: String(error) },
    );
    const ended = await steps.run(`countersign:give-up:${name}`, async () => {
      const { approvals } = await store.withdrawRequest(requestId, "orchestration_failed");
      return decidedOf(store, signer, approvals);
    });
    return orchestratorResult.shape.decisions.parse(ended);
  }
}

import type { Runtime } from "../../call/run/runtime.js";
import type { ExternalCalls } from "./external-call.js";
import { outcomeOf, readCurrent, readOwnCall } from "./outcome-of-call.js";
import { requestCall } from "./request-call.js";
import { useCall } from "./use-call.js";

/** The gate for programs outside of AgentKit, which make their calls themselves. */
export function createExternalCalls(runtime: Runtime): ExternalCalls {
  return {
    request: (call) => requestCall(runtime, call),
    outcome: async (call) => outcomeOf(runtime, await readCurrent(runtime, call)),
    use: (call) => useCall(runtime, call),
    async withdraw(call) {
      const approval = await readCurrent(runtime, call);
      await runtime.store.withdrawRequest(approval.requestId, "run_cancelled");
      return outcomeOf(runtime, await readOwnCall(runtime, call));
    },
  };
}

import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { newState } from "../call/tool.js";
import { buildCountersign } from "./build-countersign.js";
import { checkOptions } from "./check-options.js";
import type { Countersign, CountersignOptions } from "./countersign.js";

/**
 * Makes a Countersign instance, for loops of your own, agents of the AI SDK, and functions. For agents of AgentKit, take
 * the function of the same name from `countersign/agent-kit`.
 *
 * @throws CountersignError `invalid_option`, naming the option and the fix.
 *
 * @example
 * ```ts
 * import { Inngest } from "inngest";
 * import { ask, createCountersign, definePolicy } from "countersign";
 * import { pgliteStore } from "countersign/pglite";
 *
 * const inngest = new Inngest({ id: "support" });
 * export const countersign = createCountersign({
 *   inngest,
 *   store: pgliteStore(),
 *   policy: definePolicy({ tools: { issue_refund: ask() } }),
 *   timeout: "30m",
 * });
 * ```
 */
export function createCountersign(options: CountersignOptions): Countersign {
  checkOptions(options);
  const { instance } = buildCountersign(options, { newState, guarded: () => refuseAgent });
  return Object.assign(instance, onlyForAgentKit);
}

/** Who calls these got the instance from the wrong entry point, and may have no types that say so. */
const onlyForAgentKit = Object.fromEntries(
  ["guard", "lifecycle", "streaming"].map((name) => [
    name,
    () => {
      throw wrongOption(
        `${name}()`,
        "is for agents of AgentKit. Take createCountersign from countersign/agent-kit",
      );
    },
  ]),
);

/** An agent of AgentKit can only be guarded by an instance that knows AgentKit. */
function refuseAgent({ name }: { name: string }): never {
  throw new CountersignError(
    "unguarded_agent",
    `The agent "${name}" was started inside a run of an instance that does not guard agents of AgentKit, so it did not run. Take createCountersign from countersign/agent-kit.`,
  );
}

import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Agent, Network, StateData } from "@inngest/agent-kit";
import type { Binding } from "../call/run/run-scope.js";
import type { Runtime } from "../call/run/runtime.js";

const hooks = new WeakMap<object, Binding>();
const networks = new WeakMap<object, Binding>();

/** Marks a hook's `onResponse`. A mark on the function survives when users spread the hooks into their own object. */
export function bindHook(onResponse: object, binding: Binding): void {
  hooks.set(onResponse, binding);
}

/** The binding of the agent that has these hooks. */
export function bindingOfHooks(lifecycle: Agent.Lifecycle<StateData> | undefined): Binding | undefined {
  return lifecycle?.onResponse && hooks.get(lifecycle.onResponse);
}

export function bindNetwork(network: Network<StateData>, binding: Binding): void {
  networks.set(network, binding);
}

export function bindingOfNetwork(network: Network<StateData>): Binding | undefined {
  return networks.get(network);
}

/** @throws CountersignError `invalid_option` if another instance guards it. */
export function assertUnboundElsewhere(runtime: Runtime, what: string, binding: Binding | undefined): void {
  if (!binding || binding.runtime === runtime) return;
  throw new CountersignError(
    "invalid_option",
    `guard(): the ${what} is already guarded by another Countersign instance. Guard it once, or create one agent per instance.`,
  );
}

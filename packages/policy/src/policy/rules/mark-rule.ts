import type { CompiledRule } from "./compiled-rule.js";
import { ask } from "./verdict.js";

/** A tool's own mark is a rule for it, beside those of the policy, of which the strictest wins. */
export const markRule: CompiledRule = {
  id: "tool",
  layer: "built-in",
  tools: ["*"],
  except: [],
  // A default that asks others, or more people, applies as well.
  hints: true,
  effect: { kind: "function", decide: ({ marked }) => marked && ask(marked) },
};

import { WorkLimit } from "../../bounded/work-limit.js";
import type { Layer, PolicyCall } from "../policy-call.js";
import type { CompiledRule } from "./compiled-rule.js";
import { ruleCovers } from "./compiled-rule.js";
import { compileCondition } from "./condition.js";
import type { Rule } from "./rule-schema.js";

/** A rule that is well-formed but invalid. `field` is relative to the rule. */
export class RuleProblem extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Compiles a rule and checks it against its own examples.
 * @throws RuleProblem naming the field.
 */
export function compileRule(rule: Rule, at: { layer: Layer; place: string; profile?: string }): CompiledRule {
  const { id, tools, except, verdict, when, match, notMatch, ...terms } = rule;
  const compiled: CompiledRule = {
    id: id ?? at.place,
    layer: at.layer,
    ...(at.profile === undefined ? {} : { profile: at.profile }),
    tools,
    except: except ?? [],
    effect: {
      kind: "static",
      verdict,
      terms,
      ...(when === undefined ? {} : { when: conditionOf(when) }),
    },
  };
  for (const [index, example] of (match ?? []).entries()) {
    if (!meets(compiled, example))
      throw new RuleProblem(`match.${index}`, "the rule must match this example, but does not");
  }
  for (const [index, example] of (notMatch ?? []).entries()) {
    if (meets(compiled, example))
      throw new RuleProblem(`notMatch.${index}`, "the rule must not match this example, but does");
  }
  return compiled;
}

function conditionOf(text: string) {
  try {
    return compileCondition(text);
  } catch (error) {
    const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new RuleProblem("when", message);
  }
}

type Example = NonNullable<Rule["match"]>[number];

function meets(rule: CompiledRule, example: Example): boolean {
  if (!ruleCovers(rule, { toolName: example.tool })) return false;
  if (rule.effect.kind !== "static" || !rule.effect.when) return true;
  const { when, verdict } = rule.effect;
  const { tool: toolName, ...others } = example;
  const call = { toolName, input: {}, principal: null, thread: null, ...others } as PolicyCall;
  try {
    return new WorkLimit().run((meter) => when.holds(call, meter));
  } catch {
    return verdict !== "allow" && verdict !== "notify";
  }
}

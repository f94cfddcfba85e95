import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import cedar from "@cedar-policy/cedar-wasm/nodejs";
import { openPolicy } from "@countersign/policy/files";
import picomatch from "picomatch";
import { microsecondsPerCall } from "./support/measure.mjs";

// Node 20 dies ("unreachable code" in the deoptimizer) where it has inlined a call of Cedar's WebAssembly.
setFlagsFromString("--no-turbo-inline-js-wasm-calls");

/**
 * How long a policy takes to judge one call, beside Cedar with the same rules and a loop over the same globs.
 *
 * Every second rule names one tool, the others are globs; verdicts take turns; calls take turns over the tools, one in
 * four above the limit of the conditions. Cedar's policies are parsed beforehand. It knows permit and forbid only, so
 * an `ask` is a permit whose id says so, which is more than fair to it.
 */
const sizes = [10, 100, 1000];
const verdicts = /** @type {const} */ (["allow", "ask", "deny"]);
const condition = 'input.amount > 100 && !("finance" in principal.roles)';
const cedarCondition =
  'when { context.input.amount > 100 && !(context.principal.roles.contains("finance")) }';
const strictness = { allow: 0, ask: 1, deny: 2 };

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* policyBench() {
  for (const conditional of [false, true]) {
    const bySize = new Map(sizes.map((size) => [size, subjects(size, conditional)]));
    for (const [size, { countersign, cedarSays }] of bySize) agree(size, countersign, cedarSays);
    // All sizes take turns in the same rounds, since they are compared with each other.
    const fast = await microsecondsPerCall(
      Object.fromEntries(
        [...bySize].flatMap(([size, { countersign, globs }]) => [
          [`countersign ${size}`, countersign],
          [`globs ${size}`, globs],
        ]),
      ),
    );
    for (const [size, { countersign, cedarSays }] of bySize) {
      const name = `policy, ${size} rules${conditional ? " with conditions" : ""}`;
      const value = fast[`countersign ${size}`];
      const loop = fast[`globs ${size}`];
      // Apart, in smaller batches, since one call takes it as long as the others take for hundreds.
      const { beside, cedarTakes } = await microsecondsPerCall(
        { beside: countersign, cedarTakes: cedarSays },
        { callsAtOnce: 20 },
      );
      yield {
        name,
        value,
        unit: "µs/call",
        ...(size === 100 ? { aim: "≤ 5 µs", met: value <= 5 } : {}),
      };
      yield {
        name: `${name}: Cedar`,
        value: cedarTakes,
        unit: "µs/call",
        ratioTo: "Countersign",
        ratio: cedarTakes / beside,
        aim: "≥ 5 ×",
        met: cedarTakes / beside >= 5,
      };
      yield {
        name: `${name}: picomatch loop, no conditions`,
        value: loop,
        unit: "µs/call",
        ratioTo: "Countersign",
        ratio: loop / value,
      };
    }
    const growth = fast["countersign 1000"] / fast["countersign 100"];
    yield {
      name: `policy, 1000 rules for 100${conditional ? " with conditions" : ""}`,
      value: growth,
      unit: "× the time",
      aim: "< 10 ×",
      met: growth < 10,
    };
  }
  const { holding, doubtful } = await microsecondsPerCall(
    {
      holding: crowded({ amount: 500, tags: [] }),
      doubtful: crowded({ tags: [] }),
    },
    { callsAtOnce: 20 },
  );
  yield { name: "policy, 100 conditions for one tool, all judged", value: holding, unit: "µs/call" };
  yield { name: "policy, 100 conditions for one tool, all in doubt", value: doubtful, unit: "µs/call" };
  for (const size of sizes) {
    const { unseen, unseenGlobs } = subjects(size, false);
    const time = await microsecondsPerCall({ unseen, unseenGlobs }, { callsAtOnce: 100 });
    yield {
      name: `policy, ${size} rules, a name never seen before`,
      value: time.unseen,
      unit: "µs/call",
    };
    yield {
      name: `policy, ${size} rules, a name never seen before: picomatch loop`,
      value: time.unseenGlobs,
      unit: "µs/call",
      ratioTo: "Countersign",
      ratio: time.unseenGlobs / time.unseen,
    };
  }
}

/**
 * The worst that a policy can do: every rule means every tool, so that each call meets all the conditions.
 * @param {Record<string, unknown>} input
 */
function crowded(input) {
  const policy = policyOf(
    Array.from({ length: 100 }, (_, index) => ({
      tools: "*",
      verdict: "ask",
      when: `input.amount > ${index}`,
    })),
  );
  const call = { toolName: "pay", input };
  return () => policy.evaluate(call).kind;
}

/** A policy of a file with these rules. @param {readonly object[]} rules */
function policyOf(rules) {
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const file = join(folder, "policy.json");
  writeFileSync(file, JSON.stringify({ version: 1, rules }));
  const policy = openPolicy({ defaults: file, watch: false });
  rmSync(folder, { recursive: true });
  if (policy.problems.length > 0) throw new Error(JSON.stringify(policy.problems));
  return policy;
}

/**
 * @param {number} size
 * @param {boolean} conditional
 */
function subjects(size, conditional) {
  const rules = Array.from({ length: size }, (_, index) => ({
    tools: index % 2 === 0 ? `tool_${index}` : `server_${index}-*`,
    verdict: verdicts[index % 3] ?? "deny",
    ...(conditional ? { when: condition } : {}),
  }));
  const policy = policyOf(rules);
  const id = `${size}-${conditional}`;
  const answer = cedar.preparsePolicySet(id, { staticPolicies: Object.fromEntries(rules.map(asCedar)) });
  if (answer.type !== "success") throw new Error(JSON.stringify(answer.errors));

  const calls = rules.map(({ tools }, index) => ({
    toolName: tools.replace("*", "run"),
    input: { amount: index % 4 === 0 ? 500 : 50, orderId: `order-${index}` },
    principal: { id: "ann", roles: ["support"] },
  }));
  const cedarCalls = calls.map(({ toolName, input, principal }) => ({
    principal: { type: "User", id: principal.id },
    action: { type: "Action", id: "call" },
    resource: { type: "Tool", id: toolName },
    context: { tool: toolName, input, principal: { roles: principal.roles } },
    preparsedPolicySetId: id,
    entities: [],
  }));
  const matchers = rules.map(({ tools, verdict }) => ({ matches: picomatch(tools), verdict }));
  /** @param {string} toolName */
  const globLoop = (toolName) => {
    /** @type {keyof typeof strictness | undefined} */
    let found;
    for (const { matches, verdict } of matchers) {
      if (matches(toolName) && (!found || strictness[verdict] > strictness[found])) found = verdict;
    }
    return found ?? "deny";
  };
  // More names than are remembered, so that each is new whenever its turn comes.
  const strange = Array.from(
    { length: 25_000 },
    (_, index) => `server_${(index % size) | 1}-strange_${index}`,
  );
  return {
    /** @param {number} index */
    countersign: (index) => policy.evaluate(calls[index % size]).kind,
    /** @param {number} index */
    cedarSays: (index) => cedarVerdict(cedar.statefulIsAuthorized(cedarCalls[index % size])),
    /** @param {number} index */
    globs: (index) => globLoop(calls[index % size].toolName),
    /** @param {number} index */
    unseen: (index) => policy.evaluate({ toolName: strange[index % strange.length], input: {} }).kind,
    /** @param {number} index */
    unseenGlobs: (index) => globLoop(strange[index % strange.length]),
  };
}

/**
 * @param {{ tools: string, verdict: string, when?: string }} rule
 * @param {number} index
 */
function asCedar({ tools, verdict, when }, index) {
  const glob = tools.includes("*");
  const resource = glob ? "resource" : `resource == Tool::"${tools}"`;
  const named = glob ? `when { context.tool like "${tools}" }` : "";
  const effect = verdict === "deny" ? "forbid" : "permit";
  return [
    `${verdict}-${index}`,
    `${effect}(principal, action, ${resource}) ${named} ${when ? cedarCondition : ""};`,
  ];
}

/** @param {ReturnType<typeof cedar.statefulIsAuthorized>} answer */
function cedarVerdict(answer) {
  if (answer.type !== "success") throw new Error(JSON.stringify(answer.errors));
  const { decision, diagnostics } = answer.response;
  if (decision === "deny") return "deny";
  return diagnostics.reason.some((id) => id.startsWith("ask-")) ? "ask" : "allow";
}

/**
 * Two engines that disagree are not worth comparing.
 * @param {number} size
 * @param {(index: number) => string} ours
 * @param {(index: number) => string} theirs
 */
function agree(size, ours, theirs) {
  for (let index = 0; index < size; index += 1) {
    if (ours(index) !== theirs(index)) {
      throw new Error(`Call ${index}: Countersign says ${ours(index)}, Cedar ${theirs(index)}`);
    }
  }
}

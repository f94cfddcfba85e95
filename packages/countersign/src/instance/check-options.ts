import { negationProblem } from "@countersign/policy/internal/policy/rules/tool-pattern";
import { didYouMean } from "@countersign/policy/internal/shared/did-you-mean";
import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import type { CountersignOptions as AgentKitOptions } from "./agent-kit-countersign.js";
import type { CountersignOptions } from "./countersign.js";

/** Returns what is wrong with an option's value, or `undefined` if it is valid. */
type Check = (value: unknown) => string | undefined;

const withMethods =
  (names: readonly string[], fix: string): Check =>
  (value) => {
    const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
    return isObject && names.every((name) => typeof Reflect.get(value, name) === "function")
      ? undefined
      : fix;
  };

const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined ? undefined : check(value);

const texts: Check = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === "string")
    ? undefined
    : "must be a list of strings";

const toolPatterns: Check = (value) =>
  texts(value) ?? [value].flat().flatMap((item) => negationProblem(String(item)) ?? [])[0];

const policyMethods = withMethods(
  ["evaluate", "explain"],
  "must be a policy, created with definePolicy({ tools: … }) or openPolicy(…)",
);

/** The check of each option. `undefined`: the option is checked where it is read. */
const checks: Record<keyof CountersignOptions, Check | undefined> = {
  inngest: withMethods(
    ["createFunction", "send"],
    'must be the Inngest client of your app, created with new Inngest({ id: "my-app" })',
  ),
  store: optional(
    withMethods(
      ["migrate", "propose", "decide"],
      "must be a store, created with postgresStore() or pgliteStore()",
    ),
  ),
  policy: optional(policyMethods),
  shadowPolicy: optional(policyMethods),
  id: optional((value) =>
    typeof value === "string" && /^[a-z0-9][a-z0-9-]{0,62}$/.test(value)
      ? undefined
      : 'must be 1 to 63 lower-case letters, digits and hyphens, such as "billing"',
  ),
  supersede: optional((value) =>
    value === "never" || value === "on-new-message" ? undefined : 'must be "never" or "on-new-message"',
  ),
  logger: optional(
    withMethods(["info", "warn", "error"], "must be a logger with the methods info, warn and error"),
  ),
  tracer: optional(
    withMethods(["startActiveSpan"], 'must be a tracer of OpenTelemetry: trace.getTracer("countersign")'),
  ),
  durableTools: optional(toolPatterns),
  undoable: undefined,
  redactPatterns: optional(texts),
  channels: optional((value) => (Array.isArray(value) ? undefined : "must be a list of channels")),
  inboxUrl: optional((value) => (typeof value === "string" ? undefined : "must be a string")),
  timeout: undefined,
  limits: undefined,
  history: undefined,
  signingKey: undefined,
  tenantId: optional((value) =>
    typeof value === "string" && value.trim() !== "" ? undefined : "must be a non-empty string",
  ),
};

/** Those of instances for AgentKit. */
const agentKitChecks: Record<keyof AgentKitOptions, Check | undefined> = {
  ...checks,
  context: optional((value) => (typeof value === "function" ? undefined : "must be a function")),
};

/** @throws CountersignError `invalid_option`, naming the first option that is missing, wrong or unknown. */
export function checkOptions(options: unknown): void {
  if (Object.hasOwn(Object(options), "context")) {
    throw wrongOption(
      "context",
      "is read from the state of AgentKit's networks. For agents of AgentKit, take createCountersign from countersign/agent-kit; otherwise give the context to countersign.gate()",
    );
  }
  checkEach(options, checks);
}

/** @throws CountersignError `invalid_option`, naming the first option that is missing, wrong or unknown. */
export function checkAgentKitOptions(options: unknown): void {
  checkEach(options, agentKitChecks);
}

function checkEach(options: unknown, checks: Record<string, Check | undefined>): void {
  if (typeof options !== "object" || options === null) {
    throw wrongOption("createCountersign()", "requires an object with at least inngest");
  }
  for (const [name, check] of Object.entries(checks)) {
    const problem = check?.(Reflect.get(options, name));
    if (problem !== undefined) throw wrongOption(name, problem);
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(checks, name));
  if (unknown !== undefined) {
    throw wrongOption(
      unknown,
      `is not an option of createCountersign()${didYouMean(unknown, Object.keys(checks))}`,
    );
  }
}

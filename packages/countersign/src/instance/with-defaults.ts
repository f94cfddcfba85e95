import type { Policy } from "@countersign/policy";
import { definePolicy } from "@countersign/policy/internal/policy/define-policy";
import type { ToolFacts } from "@countersign/policy/internal/policy/policy-call";
import { allow, ask } from "@countersign/policy/internal/policy/rules/verdict";
import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import { tellOnce, warnOnce } from "@countersign/policy/internal/shared/warn-once";
import type { Store } from "../store/opaque-store.js";
import type { CountersignOptions } from "./countersign.js";
import { developmentFolder, developmentStore } from "./development-store.js";

/** The options that may be absent, as an instance uses them. */
export interface Defaulted {
  store: Store;
  policy: Policy;
  /** There is no policy but the tools' own marks. */
  marksOnly: boolean;
}

const opened = definePolicy({ tools: {}, default: allow() });
const ofServers = definePolicy({
  tools: {},
  default: ask({ reason: "No policy says whether this tool of an MCP server may run" }),
});
const policyFor = ({ mcp }: ToolFacts) => (mcp ? ofServers : opened);

/** The policy of the marks alone. Tools of MCP servers cannot be marked, and no server is trusted. */
const marksAlone: Policy = {
  ...opened,
  evaluate: (call) => policyFor(call).evaluate(call),
  explain: (call) => policyFor(call).explain(call),
};

/**
 * Fills in what an app need not say, and says so once.
 *
 * @throws CountersignError `invalid_option` in production without a store.
 */
export function withDefaults(options: CountersignOptions, logger: Logger): Defaulted {
  const { inngest, store, policy } = options;
  for (const name of ["store", "policy"] as const) {
    if (Object.hasOwn(options, name) && options[name] === undefined) {
      throw wrongOption(name, "is undefined; give one, or leave the option out");
    }
  }
  if (!store && process.env.NODE_ENV === "production") {
    throw wrongOption(
      "store",
      "is missing; in production, pass store: postgresStore() from countersign/postgres, which reads DATABASE_URL, and migrate it with npx countersign migrate",
    );
  }
  const chosen = [
    !store && `No store: the data is in ${developmentFolder}. In production, pass store: postgresStore().`,
    !policy && "No policy: tools marked with needsApproval() wait for a person, and all others run.",
  ].filter((part) => part !== false);
  const tell = process.env.NODE_ENV === "production" ? warnOnce : tellOnce;
  if (chosen.length > 0) tell(logger, `defaults:${inngest.id}`, chosen.join(" "), {});
  return {
    store: store ?? developmentStore(),
    policy: policy ?? marksAlone,
    marksOnly: !policy,
  };
}

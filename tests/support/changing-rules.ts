import type { Tool } from "@inngest/agent-kit";
import { allow, ask, definePolicy, deny, manual, notify, type Policy, type VerdictKind } from "countersign";
import { replaceable } from "./replaceable-policy.js";

/** What changes when the verdict about `refund` changes. */
export type Source = "policy" | "policy of another process" | "rule" | "profile" | "hints";

const verdicts = {
  allow: allow(),
  notify: notify(),
  ask: ask({ decisions: ["approve", "edit", "deny"], editable: ["amount"] }),
  manual: manual(),
  deny: deny("Not today"),
};

const policyOf = (kind: VerdictKind): Policy =>
  definePolicy({ tools: { refund: verdicts[kind], lookup: allow() } });

/** Rules about `refund` that change at any moment, and the options of a harness that runs under them. */
export function changingRules(source: Source, first: VerdictKind, tools: Tool.Any[]) {
  let now = first;
  const change = (kind: VerdictKind) => {
    now = kind;
  };
  switch (source) {
    case "policy": {
      const { policy, redeploy } = replaceable(policyOf(first));
      return { policy, profile: undefined, change: (kind: VerdictKind) => void redeploy(policyOf(kind)) };
    }
    case "policy of another process": {
      const policy: Policy = {
        get version() {
          return policyOf(now).version;
        },
        profiles: [],
        evaluate: (call) => policyOf(now).evaluate(call),
        explain: (call) => policyOf(now).explain(call),
      };
      return { policy, profile: undefined, change };
    }
    case "rule":
      return {
        policy: definePolicy({ tools: { refund: () => verdicts[now], lookup: allow() } }),
        profile: undefined,
        change,
      };
    case "profile":
      return {
        policy: definePolicy({
          tools: { refund: allow(), lookup: allow() },
          profiles: Object.fromEntries(
            Object.entries(verdicts).map(([kind, verdict]) => [kind, { tools: { refund: verdict } }]),
          ),
        }),
        profile: () => now,
        change,
      };
    case "hints": {
      // An untrusted server's tool that is not marked as harmless is asked about.
      const listed = () => ({
        name: "refund",
        annotations: { readOnlyHint: now === "allow" },
        inputSchema: { type: "object", properties: { id: {}, amount: {} } },
      });
      const refund = tools.find(({ name }) => name === "refund");
      if (refund) {
        const server = { name: "shop", transport: { type: "ws", url: "ws://127.0.0.1:9" } };
        Reflect.defineProperty(refund, "mcp", { enumerable: true, get: () => ({ server, tool: listed() }) });
      }
      return {
        policy: definePolicy({ tools: { refund: allow(), lookup: allow() } }),
        profile: undefined,
        change,
      };
    }
  }
}

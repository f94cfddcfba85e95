import { allow, ask, definePolicy } from "countersign";
import { createCountersign } from "countersign/agent-kit";
import { postgresStore } from "countersign/postgres";
import { inngest } from "./inngest";
import { settings } from "./settings";
import type { SupportState } from "./support-state";

/**
 * Next loads this module once for routes and once for instrumentation, and again in `next dev` when it changes: one pool serves
 * all copies, and one instance knows the handlers that run.
 */
const kept = globalThis as {
  supportStore?: ReturnType<typeof postgresStore>;
  supportDesk?: ReturnType<typeof makeInstance>;
};
kept.supportStore ??= postgresStore({ url: settings.databaseUrl });
export const store = kept.supportStore;

const policy = definePolicy({
  tools: {
    look_up_order: allow(),
    hand_over_to_billing: allow(),
    issue_refund: ask({
      approvers: { roles: ["finance"] },
      summary: "Refund {{amount}} {{currency}} for order {{orderId}}",
      risk: "medium",
      timeout: "2h",
    }),
  },
});

function makeInstance() {
  return createCountersign<SupportState>({
    inngest,
    store,
    policy,
    context: ({ state }) => ({ tenantId: "acme", requester: { id: state.data.userId } }),
  });
}

kept.supportDesk ??= makeInstance();
export const countersign = kept.supportDesk;

import { type SpanAttributes, span, type Tracer } from "@countersign/policy/internal/shared/span";
import type { Approval } from "../approval/approval.js";
import type { Store } from "../store/store.js";

/** The same store with a span for each decision and claim, whichever way a call comes in. */
export function tracedStore(store: Store, tracer: Tracer | undefined): Store {
  if (!tracer) return store;
  const traced: Pick<Store, "decide" | "claim"> = {
    decide: (decision, signer) =>
      span(
        tracer,
        "decide",
        {
          "countersign.approval.id": decision.approvalId,
          "countersign.decision": decision.type,
        },
        async (add) => {
          const result = await store.decide(decision, signer);
          add(outcomeOf(result));
          return result;
        },
      ),
    claim: (approvalId, ...rest) =>
      span(tracer, "claim", { "countersign.approval.id": approvalId }, async (add) => {
        const result = await store.claim(approvalId, ...rest);
        add(outcomeOf(result));
        return result;
      }),
  };
  return Object.assign(Object.create(store), traced);
}

/** Another tenant's call is not found, so the span of such an attempt says nothing of it. */
function outcomeOf({ outcome, approval }: { outcome: string; approval?: Approval }): SpanAttributes {
  return {
    "countersign.outcome": outcome,
    ...(approval && {
      "countersign.tenant.id": approval.tenantId,
      "countersign.tool.name": approval.toolName,
      "countersign.verdict": approval.verdict,
    }),
  };
}

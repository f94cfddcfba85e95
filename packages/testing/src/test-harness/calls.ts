import { isOver } from "@countersign/policy/internal/shared/approval-status";
import type { Approval, ApprovalStatus } from "countersign";
import type { StoreVerbs } from "countersign/internal";
import type { Until } from "./until.js";

/** Whether a call is over, or waits for people. */
export function isSettled(status: ApprovalStatus): boolean {
  return status === "pending" || isOver(status);
}

/** Reads single calls of a harness, now or once their status meets a condition. */
export function createCalls(store: StoreVerbs, until: Until) {
  async function callNow(call: string | Approval): Promise<Approval> {
    const id = typeof call === "string" ? call : call.id;
    const tenants = typeof call === "string" ? await store.auditedTenants() : [call.tenantId];
    for (const tenant of tenants) {
      const approval = await store.getApproval(tenant, id);
      if (approval) return approval;
    }
    throw new Error(`Unknown approval "${id}"`);
  }

  function callUntil(call: string | Approval, is: (status: ApprovalStatus) => boolean): Promise<Approval> {
    const id = typeof call === "string" ? call : call.id;
    return until(
      { what: `${id} is over`, instead: async () => `it is ${(await callNow(call)).status}` },
      async () => {
        const found = await callNow(call);
        return is(found.status) ? found : undefined;
      },
    );
  }

  return { callNow, callUntil };
}

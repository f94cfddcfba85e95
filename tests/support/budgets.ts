// Grants with a budget, straight in a store.

import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import type { Approval } from "countersign";
import type { GrantBudget } from "countersign/types";
import { proposeCall } from "./proposals.js";
import type { Store } from "./store.js";

export const finance = { id: "finance", tenantId: "acme", roles: ["finance"] };

/** The budget of 100 EUR of most tests. */
export const hundred: GrantBudget = { amount: "amount", total: 100, each: null, unit: "EUR" };

const terms = { grantable: ["thread" as const, "team" as const] };
type Signer = Parameters<Store["decide"]>[1];

/**
 * Approves a call together with a grant for any arguments within a budget; returns the grant's id.
 *
 * @param exact Covers this call alone, in its thread.
 */
export async function giveBudget(
  store: Store,
  budget: GrantBudget,
  { signer, exact = false, toolVersion }: { signer?: Signer; exact?: boolean; toolVersion?: string } = {},
): Promise<string> {
  const [approval] = await proposeCall(store, {
    terms,
    ...(signer && { signer }),
    ...(toolVersion !== undefined && { toolVersion }),
  });
  if (!approval) throw new Error("unreachable");
  const grant = {
    scope: "team" as const,
    inputHash: null,
    condition: null,
    authorSeesAll: false,
    lifetimeMs: 7 * 24 * 3_600_000,
    uses: null,
    budget,
    ...(exact && {
      scope: "thread" as const,
      inputHash: hashCanonical(JSON.parse(approval.inputJson)),
      lifetimeMs: 3_600_000,
      uses: 5,
    }),
  };
  const { id: approvalId, digest } = approval;
  await store.decide(
    { approvalId, principal: finance, type: "approve", digest, reason: null, grant },
    signer,
  );
  const [given] = await store.listGrants({ tenantId: "acme", limit: 1 });
  if (given?.approvalId !== approvalId) throw new Error("unreachable");
  return given.id;
}

/** Proposes calls that spend these amounts, in one response. */
export function proposeSpending(
  store: Store,
  amounts: readonly unknown[],
  options: Parameters<typeof proposeCall>[1] = {},
): Promise<Approval[]> {
  return proposeCall(store, {
    terms,
    announce: false,
    calls: amounts.length,
    inputOf: (position) => ({ id: `A-${position}`, amount: amounts[position] }),
    ...options,
  });
}

/** Proposes one call that spends this amount. */
export async function proposeOne(
  store: Store,
  amount: unknown,
  options?: Parameters<typeof proposeCall>[1],
): Promise<Approval> {
  const [call] = await proposeSpending(store, [amount], options);
  if (!call) throw new Error("unreachable");
  return call;
}

/** What the grant's row and its calls have used of the budget, as the API says it. */
export async function usedOf(store: Store, grantId: string): Promise<number | undefined> {
  return (await store.getGrant(finance, grantId))?.budgetUsed;
}

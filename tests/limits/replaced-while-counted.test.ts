import { allow, definePolicy, deny } from "countersign";
import { expect, it } from "vitest";
import { interceptedStore } from "../support/intercepted-store.js";
import { policyOf } from "../support/policy-of.js";
import { replaceable } from "../support/replaceable-policy.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

const counting = policyOf([
  {
    ...{ tools: "refund", verdict: "ask", decisions: ["approve", "edit", "deny"], editable: ["amount"] },
    when: 'spent("refund", "amount", "24h") > 10',
  },
]);

/** A refund that waits under `counting`, which is replaced when something is counted next. */
async function openReplaced(next: Parameters<typeof replaceable>[0]) {
  const { policy, redeploy } = replaceable(counting);
  let replaces = false;
  const waiting = await openWaitingRefund({
    policy,
    between: (store) =>
      interceptedStore(store, {
        readCounts: (carryOut, ...args) => {
          if (replaces) redeploy(next);
          return carryOut(...args);
        },
      }),
  });
  replaces = true;
  return { ...waiting, policy };
}

it("an edit is judged by the version of the policy that counted for it", async () => {
  const denying = definePolicy({ tools: { refund: deny("Refunds are frozen") } });
  await using world = await openReplaced(denying);
  const { harness, approval, policy } = world;
  const edited = await harness.call("finance", `/approvals/${approval.id}/decision`, {
    method: "POST",
    body: { type: "edit", digest: approval.digest, input: { id: "A-1", amount: 50 } },
  });
  expect(edited).toMatchObject({ status: 200, body: { status: "approved" } });
  expect(policy.version).toBe(denying.version);
});

it("a call is explained by the version of the policy that counted for it", async () => {
  const allowing = definePolicy({ tools: { refund: allow() } });
  await using world = await openReplaced(allowing);
  const { harness, policy } = world;
  const explained = await harness.call("auditor", "/policy/explain", {
    method: "POST",
    body: {
      ...{ toolName: "refund", input: { id: "A-2", amount: 50 } },
      principal: { id: "requester", roles: [] },
    },
  });
  expect(explained.body).toMatchObject({ kind: "ask", policyVersion: counting.version });
  expect(policy.version).toBe(allowing.version);
});

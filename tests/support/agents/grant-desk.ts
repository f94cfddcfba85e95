// A desk whose refunds may be granted, for the tests of grants.
import { ask, type CountersignOptions, definePolicy, type Terms } from "countersign";
import type { GrantRequest } from "countersign/types";
import { callsFromMessage, callsOf } from "../calls-from-message.js";
import { freshPostgres, type TestDatabase } from "../databases.js";
import { deskTools } from "../desk-tools.js";
import { type Harness, openHarness } from "../harness.js";

/** The message that has the model call for this refund. */
export const refundCall = (amount: number, id = "A-1") => callsOf({ name: "refund", input: { id, amount } });

/** Terms under which every scope may be granted. */
export const grantableTerms = {
  approvers: { roles: ["finance", "lead"] },
  grantable: ["thread", "user", "team"],
} satisfies Terms;

/** The narrowest grant. */
export const exactGrant = { scope: "thread", arguments: "exact" } satisfies GrantRequest;

/** A desk whose refunds may be granted. */
export async function openGrantDesk(
  options: {
    open?: () => Promise<TestDatabase>;
    refund?: Parameters<typeof definePolicy>[0]["tools"];
    countersign?: Partial<CountersignOptions>;
  } = {},
) {
  const database = await (options.open ?? freshPostgres)();
  const { tools, effects } = deskTools();
  const harness = await openHarness({
    database,
    tools,
    reply: callsFromMessage,
    policy: definePolicy({ tools: options.refund ?? { refund: ask(grantableTerms) } }),
    ...(options.countersign ? { countersign: options.countersign } : {}),
  });
  return {
    harness,
    database,
    tools,
    effects,
    /** Proposes a call, approves it together with a grant, and waits for the end of its run. */
    async grant(
      message: string,
      grant: GrantRequest,
      { token = "finance", thread = undefined as string | undefined } = {},
    ) {
      const run = await harness.say(message, thread);
      const approval = await harness.onlyPending();
      const answer = await approveWithGrant(harness, approval, grant, token);
      if (answer.status === 200) await harness.ended(run.runId);
      return { ...run, approval, answer };
    },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Sends a decision together with a grant. */
export function approveWithGrant(
  harness: Harness,
  approval: { id: string; digest: string },
  grant: unknown,
  token = "finance",
  type = "approve",
) {
  return harness.call(token, `/approvals/${approval.id}/decision`, {
    method: "POST",
    body: { type, digest: approval.digest, grant },
  });
}

/** The active grants that the principal of this token may see. */
export const liveGrants = async (harness: Harness, token = "finance") =>
  (await harness.call(token, "/grants?live=true")).body.items;

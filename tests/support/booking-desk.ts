// A desk that books carriers and can cancel what it booked, for the tests of undo.

import type { Conversation } from "@countersign/testing";
import { createTool } from "@inngest/agent-kit";
import { type Approval, type Principal, withUndo } from "countersign";
import type { CountersignOptions } from "countersign/agent-kit";
import { z } from "zod";
import { callsFromMessage, callsOf } from "./calls-from-message.js";
import type { freshPostgres } from "./databases.js";
import { eventually, openHarness, principals } from "./harness.js";
import type { HarnessOptions } from "./harness-options.js";
import { policyOf } from "./policy-of.js";
import { storeVerbs } from "./store.js";

/** Who may decide bookings. */
export const finance = principals.finance as Principal;

/** Bookings wait for finance, and may be undone for ten minutes. */
export const bookingRule = {
  ...{ tools: "book", verdict: "ask", approvers: { roles: ["finance"] }, reversible: "10m" },
};

interface BookingOptions {
  /** What the undo does, beside recording that it started. */
  cancel?(order: string): unknown;
  idempotent?: boolean;
}

interface BookingDeskOptions extends BookingOptions {
  /** @default {@link bookingRule} */
  rules?: readonly object[];
  /** The tool is in `undoable`. @default true */
  isNamed?: boolean;
  countersign?: Partial<CountersignOptions>;
  between?: HarnessOptions["between"];
  served?: HarnessOptions["served"];
  /** @default the tool in `undoable` */
  agentTools?: HarnessOptions["tools"];
}

/** The policy of a desk with these rules, which asks about everything else. */
export const bookingPolicy = (rules: readonly object[] = [bookingRule]) =>
  policyOf(rules, { default: "ask" });

/** A tool that books a carrier, its undo, and what they have done. */
export function bookingTool({ cancel = () => undefined, idempotent = false }: BookingOptions = {}) {
  const booked: string[] = [];
  const cancelled: { input: unknown; outcome: unknown; key: string; of: string }[] = [];
  const book = withUndo(
    createTool({
      name: "book",
      parameters: z.object({ order: z.string() }),
      handler: ({ order }) => {
        booked.push(order);
        return { number: `B-${booked.length}` };
      },
    }),
    (input, outcome, { approval, undoneApprovalId }) => {
      cancelled.push({ input, outcome, key: approval.idempotencyKey, of: undoneApprovalId });
      return cancel(input.order);
    },
    { idempotent },
  );
  return { book, booked, cancelled };
}

export async function openBookingDesk(
  database: Awaited<ReturnType<typeof freshPostgres>>,
  { rules, isNamed = true, countersign, between, served, agentTools, ...options }: BookingDeskOptions = {},
) {
  const { book, booked, cancelled } = bookingTool(options);
  const seen: Conversation["messages"][] = [];
  const harness = await openHarness({
    database,
    ...(between && { between }),
    ...(served && { served }),
    tools: agentTools ?? [book],
    policy: bookingPolicy(rules),
    countersign: { ...(isNamed && { undoable: [book] }), ...countersign },
    reply: (conversation) => {
      seen.push(conversation.messages);
      return callsFromMessage(conversation);
    },
  });
  const store = storeVerbs(harness.countersign.store);
  const row = async (id: string) => {
    const found = await store.getApproval("acme", id);
    if (!found) throw new Error(`There is no approval ${id}`);
    return found;
  };
  return Object.assign(harness, {
    admin: database.admin,
    store,
    row,
    booked,
    cancelled,
    /** The messages that the model has been sent, by request. */
    seen,
    /**
     * Has a carrier booked, with the approval of finance if the policy asks.
     *
     * @param asked Called with the waiting call before the approval.
     */
    async book(order: string, thread?: string, asked?: (waiting: Approval) => Promise<unknown>) {
      const { runId, threadId } = await harness.say(callsOf({ name: "book", input: { order } }), thread);
      const proposed = await eventually(async () => {
        const [newest] = await database.admin<{ id: string; status: string }[]>`
          select id, status from countersign.approvals where run_id = ${runId}`;
        return newest?.status === "proposed" ? undefined : newest;
      }, "the booking");
      const found = await row(proposed.id);
      if (found.status === "pending") await asked?.(found);
      if (found.status === "pending") await harness.decide(found, "approve", "finance");
      await harness.ended(runId);
      return { threadId, call: await row(found.id) };
    },
    /** Asks for the undo of a call. */
    undo: ({ id, digest }: { id: string; digest: string }, principal = finance, reason = "wrong order") =>
      harness.countersign.undo({ principal, approvalId: id, digest, reason }),
    /** Waits until an undo has this status. */
    until: (id: string, status: string) =>
      eventually(async () => {
        const found = await row(id);
        return found.status === status ? found : undefined;
      }, `${id} is ${status}`),
  });
}

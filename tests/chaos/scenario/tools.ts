import { allow, ask, definePolicy, deny, manual, notify } from "countersign";
import { z } from "zod";

/** What every tool takes. `ref` names the call in the plan; `fails` makes the handler throw. */
export const toolInput = z.object({ ref: z.string(), amount: z.int(), fails: z.boolean() });

export type ToolInput = z.infer<typeof toolInput>;

/** As the checker knows them: how the handler is declared, and what becomes of a call before it may run. */
export const tools = {
  lookup: { kind: "once", gate: "none" },
  archive: { kind: "once", gate: "notify" },
  refund: { kind: "once", gate: "person" },
  email: { kind: "idempotent", gate: "person" },
  report: { kind: "durable", gate: "person" },
  payout: { kind: "once", gate: "two people" },
  fleeting: { kind: "once", gate: "person" },
  inspect: { kind: "once", gate: "manual" },
  erase: { kind: "once", gate: "forbidden" },
} as const;

export type ToolName = keyof typeof tools;

export const toolNames = Object.keys(tools) as ToolName[];

/** Shorter than a run of chaos, so that calls run out of time while everything else goes on. */
export const fleetingSeconds = 5;

export function chaosPolicy() {
  const who = { approvers: { roles: ["finance", "lead"] }, requesterMayNotApprove: true };
  const terms = { ...who, editable: ["amount"] };
  return definePolicy({
    tools: {
      lookup: allow(),
      archive: notify(),
      refund: ask({ ...terms, decisions: ["approve", "edit", "deny"] }),
      email: ask({ ...terms, decisions: ["approve", "edit", "deny", "respond"] }),
      report: ask({ ...terms, decisions: ["approve", "edit", "deny"] }),
      payout: ask({ ...terms, quorum: 2, decisions: ["approve", "deny"] }),
      fleeting: ask({ ...terms, timeout: `${fleetingSeconds}s`, decisions: ["approve", "edit", "deny"] }),
      inspect: manual({ ...who, decisions: ["respond", "deny"] }),
      erase: deny("Nothing is ever erased"),
    },
  });
}

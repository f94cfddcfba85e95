import { setTimeout as pause } from "node:timers/promises";
import type { Approval } from "../../approval/approval.js";
import type { Countersign } from "../../create-countersign.js";
import { CountersignError, type CountersignErrorCode } from "../../errors.js";
import type { Principal } from "../../principal.js";

/** What a person does about a call; `by` is a name of the harness's `people`. */
export type Choice = { by?: string; reason?: string } & (
  | { type: "approve" | "deny" }
  | { type: "edit"; input: Record<string, unknown> }
  | { type: "respond"; response: unknown }
);

/** What came of it: the call as it then was, or the code with which it was refused. */
export type Outcome =
  | { ok: true; approval: Approval }
  | { ok: false; code: CountersignErrorCode; message: string };

const intervalMs = 10;

/** The people of a test, and what they do. */
export function createPeople(
  countersign: Countersign,
  { tenantId, people }: { tenantId: string; people: Record<string, Omit<Principal, "tenantId">> | undefined },
) {
  const stops = new Set<() => Promise<void>>();

  const personOf = (name: string | undefined, approval: Approval): Principal => {
    const known = people ?? { approver: { id: "approver", roles: approval.approvers.roles } };
    const [first] = Object.keys(known);
    const person = known[name ?? first ?? ""];
    if (person) return { ...person, tenantId };
    throw new Error(`There is nobody called "${name}" in people: ${Object.keys(known).join(", ")}`);
  };

  async function decide(approval: Approval, choice: Choice): Promise<Outcome> {
    const principal = personOf(choice.by, approval);
    try {
      const decided = await countersign.decide({
        approvalId: approval.id,
        principal,
        type: choice.type,
        digest: approval.digest,
        reason: choice.reason ?? null,
        ...(choice.type === "edit" ? { input: choice.input } : {}),
        ...(choice.type === "respond" ? { responseJson: JSON.stringify(choice.response) } : {}),
      });
      return { ok: true, approval: decided };
    } catch (error) {
      if (!CountersignError.isInstance(error)) throw error;
      return { ok: false, code: error.code, message: error.message };
    }
  }

  function answerAll(answer: (approval: Approval) => Choice | undefined): () => Promise<void> {
    let stopped = false;
    const answered = new Set<string>();
    const working = (async () => {
      while (!stopped) {
        const waiting = await countersign.store.listApprovals({
          tenantId,
          statuses: ["pending"],
          limit: 100,
        });
        for (const approval of waiting.filter(({ id }) => !answered.has(id))) {
          answered.add(approval.id);
          const choice = answer(approval);
          if (choice) await decide(approval, choice);
        }
        await pause(intervalMs);
      }
    })();
    const stop = async () => {
      stopped = true;
      stops.delete(stop);
      await working;
    };
    stops.add(stop);
    return stop;
  }

  return {
    decide,
    answerAll,
    async stop() {
      for (const stop of [...stops]) await stop();
    },
  };
}

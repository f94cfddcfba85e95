import { setTimeout as pause } from "node:timers/promises";
import { CountersignError, type CountersignErrorCode } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval, Countersign } from "countersign";
import type { GrantRequest } from "countersign/types";
import type { TestPerson } from "./options.js";

/** A person's choice about a call. `by` is a name of the harness's `people`. */
export type Choice = { by?: string; reason?: string } & (
  | { type: "deny" }
  /** With `grant`, later calls like this run without asking. */
  | { type: "approve"; grant?: GrantRequest }
  | { type: "edit"; input: Record<string, unknown> }
  | { type: "respond"; response: unknown }
);

/** A person's wish to undo a call that has run. */
export interface UndoChoice {
  by?: string;
  reason?: string;
}

/** The result of a choice: the call after it, or the code of the refusal. */
export type Outcome =
  | { ok: true; approval: Approval }
  | { ok: false; code: CountersignErrorCode; message: string };

export interface PeopleOptions {
  tenantId: string;
  people: Record<string, TestPerson> | undefined;
  decide: Countersign["decide"];
  undo: Countersign["undo"];
  waiting: () => Promise<Approval[]>;
}

const intervalMs = 30;

/** The people of a test, and their actions. */
export function createPeople({
  tenantId,
  people,
  decide: record,
  undo: requestUndo,
  waiting,
}: PeopleOptions) {
  const stops = new Set<() => Promise<void>>();
  const refusals = new Map<string, { runId: string | null; text: string }>();

  const personOf = (name: string | undefined, approval: Approval): Principal => {
    const known: Record<string, TestPerson> = people ?? {
      approver: { id: "approver", roles: approval.approvers.roles, tenantId: approval.tenantId },
    };
    const [first] = Object.keys(known);
    const person = known[name ?? first ?? ""];
    if (person) return { tenantId, ...person };
    throw new Error(`Unknown person "${name}"; the option people has: ${Object.keys(known).join(", ")}`);
  };

  async function decide(approval: Approval, choice: Choice): Promise<Outcome> {
    const principal = personOf(choice.by, approval);
    try {
      const decided = await record({
        approvalId: approval.id,
        principal,
        type: choice.type,
        digest: approval.digest,
        reason: choice.reason ?? null,
        ...(choice.type === "approve" && choice.grant ? { grant: choice.grant } : {}),
        ...(choice.type === "edit" ? { input: choice.input } : {}),
        ...(choice.type === "respond" ? { responseJson: JSON.stringify(choice.response) } : {}),
      });
      refusals.delete(approval.id);
      return { ok: true, approval: decided };
    } catch (error) {
      if (!CountersignError.isInstance(error)) throw error;
      const text = `${principal.id}'s decision "${choice.type}" on ${approval.toolName} was refused: ${error.message}`;
      refusals.set(approval.id, { runId: approval.runId, text });
      return { ok: false, code: error.code, message: error.message };
    }
  }

  async function undo(approval: Approval, { by, reason }: UndoChoice): Promise<Outcome> {
    const principal = personOf(by, approval);
    const { id: approvalId, digest } = approval;
    try {
      return {
        ok: true,
        approval: await requestUndo({ principal, approvalId, digest, reason: reason ?? null }),
      };
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
        for (const approval of (await waiting()).filter(({ id }) => !answered.has(id))) {
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
    undo,
    answerAll,
    /** The last decision on each call of a run, if it was refused. */
    refusedDecisions: (ofRun: string) =>
      [...refusals.values()].filter(({ runId }) => runId === ofRun).map(({ text }) => text),
    async stop() {
      for (const stop of [...stops]) await stop();
    },
  };
}

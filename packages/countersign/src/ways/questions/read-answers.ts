import * as z from "zod";
import { isIntact } from "../../approval/intact.js";
import type { Runtime } from "../../call/run/runtime.js";
import { noteUnproven, readReplacement } from "../../gate/read-replacement.js";
import type { Decided } from "../../orchestrator/decided.js";
import type { AskedQuestion, Question } from "./ask-people.js";

/** A person's answer to one question. */
export interface Answer {
  action: "accept" | "decline" | "cancel";
  /** The fields of a form. */
  content?: Record<string, string | number | boolean | string[]>;
}

/** The answers of a round in the form for the server, and the questions as their rows hold them. */
export type ReadAnswers =
  | {
      ok: true;
      responses: Record<string, Answer>;
      rows: { approvalId: string; inputJson: string }[];
    }
  | { ok: false; approvalId: string };

interface RoundOfQuestions {
  questions: readonly Question[];
  /** The outcome of proposing each question, in their order. */
  asked: readonly AskedQuestion[];
  decisions: readonly Decided[];
}

const answerSchema = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .optional(),
});

/**
 * Reads the answers of people. If a person declined, the server gets a decline. For everything else without an answer
 * (expired, withdrawn, nobody could be asked), it gets a cancel. A row that differs from the proposed question is not
 * used.
 */
export async function readAnswers(
  runtime: Runtime,
  tenantId: string,
  { questions, asked, decisions }: RoundOfQuestions,
): Promise<ReadAnswers> {
  // A map, because a server may name a question "__proto__".
  const responses = new Map<string, Answer>();
  const rows: { approvalId: string; inputJson: string }[] = [];
  for (const [index, { key, approvalId, proposed, refusal }] of asked.entries()) {
    if (proposed === null) {
      rows.push({ approvalId, inputJson: JSON.stringify(questions[index]?.input) });
      responses.set(key, { action: refusal?.code === "denied_by_policy" ? "decline" : "cancel" });
      continue;
    }
    const row = await runtime.store.getApproval(tenantId, approvalId);
    if (!row || !isIntact(row, proposed)) {
      await noteUnproven(runtime.store, { tenantId, id: approvalId });
      return { ok: false, approvalId };
    }
    rows.push({ approvalId, inputJson: row.inputJson });
    const decision = decisions.find((candidate) => candidate.approvalId === approvalId);
    if (!decision?.responded) {
      const declined = !decision?.unproven && decision?.refusal?.code === "denied_by_person";
      responses.set(key, { action: declined ? "decline" : "cancel" });
      continue;
    }
    const { responseJson, refusal: unproven } = await readReplacement(
      runtime,
      tenantId,
      approvalId,
      proposed,
    );
    if (unproven) return { ok: false, approvalId };
    const { action, content } = answerSchema.parse(JSON.parse(responseJson ?? "null"));
    responses.set(key, action === "accept" && content ? { action, content } : { action });
  }
  return { ok: true, responses: Object.fromEntries(responses), rows };
}

import { decisionTypes } from "@countersign/policy/internal/policy/rules/rule";
import {
  type DecidedCall,
  outcomesOfOthers,
} from "@countersign/policy/internal/policy/suggestions/decided-call";
import * as z from "zod";
import { callOf, linesOfFile, pastCallFields } from "./past-calls.js";

const lineSchema = z.strictObject({
  ...pastCallFields,
  id: z.string().min(1).optional(),
  decision: z.enum(decisionTypes),
  decidedAt: z.iso.datetime({ offset: true }),
  /** How an approved call ended, or that it was undone afterwards. */
  ended: z.enum(["executed", "failed", "interrupted", "undone"]).default("executed"),
  redact: z.array(z.string().min(1)).default([]),
  redactPatterns: z.array(z.string().min(1)).default([]),
});

/**
 * Reads decided calls from a file with one JSON object per line.
 * @throws UsageError naming file and line.
 */
export async function* decidedInFile(file: string): AsyncGenerator<DecidedCall> {
  for await (const { at, line } of linesOfFile(file, lineSchema)) {
    const { id = at, decision, decidedAt, ended, redact, redactPatterns, ...past } = line;
    const approved = ended === "executed" ? "approved" : ended;
    yield {
      id,
      call: callOf(past),
      decidedAt: new Date(decidedAt),
      verdict: "ask",
      outcome: decision === "approve" ? approved : outcomesOfOthers[decision],
      terms: { risk: "medium", quorum: 1, requesterMayNotApprove: false, redact, redactPatterns },
      hasPreview: past.effects !== undefined,
    };
  }
}

import { isDeepStrictEqual } from "node:util";
import { unitsOfRedaction, WorkLimit } from "@countersign/policy/internal/bounded/work-limit";
import { type Hiding, redact } from "@countersign/policy/internal/redaction/redact";
import type { Approval } from "./approval.js";
import { hidingFor } from "./visible-arguments.js";

/** How many days a call is remembered, to warn that the same one is asked for again. */
export const rememberedDays = 30;

/** States of a call that has started, or that a person carried out. */
export const startedStatuses = ["responded", "executing", "executed", "failed", "interrupted"] as const;

/** A call with the same tool and arguments that has started before another one. */
export interface SameCall {
  approvalId: string;
  threadId: string | null;
  status: (typeof startedStatuses)[number];
  startedAt: Date;
  /** `null` while it is running. */
  finishedAt: Date | null;
  /** Who decided it; `null` if the policy or a grant did. */
  decidedBy: string | null;
  /** What its rules hide. */
  redact: string[];
  redactPatterns: string[];
}

/**
 * The last of the same calls, as far as the reader may know that it is the same: where a value is hidden from them, they could
 * find it out by having it guessed in other conversations.
 */
export function earlierCall(
  { inputJson, edited, threadId, terms }: Pick<Approval, "inputJson" | "edited" | "threadId" | "terms">,
  same: readonly SameCall[],
  seesEverything: boolean,
): SameCall | undefined {
  const limit = new WorkLimit(unitsOfRedaction);
  const input: unknown = JSON.parse(edited?.inputJson ?? inputJson);
  const isShown = (hiding: Hiding) =>
    isDeepStrictEqual(redact(input, hidingFor(hiding, { sink: "inbox", seesEverything }), limit), input);
  const isWhole = isShown(terms);
  return [...same]
    .sort((one, other) => other.startedAt.getTime() - one.startedAt.getTime())
    .find((call) => (threadId !== null && call.threadId === threadId) || (isWhole && isShown(call)));
}

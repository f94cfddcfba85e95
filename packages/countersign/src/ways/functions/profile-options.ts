import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { fieldProblems, problemText } from "@countersign/policy/internal/shared/zod-problems";
import * as z from "zod";
import type { RunContext } from "../../call/run/run-context.js";
import { currentScope } from "../../call/run/run-scope.js";
import type { Runtime } from "../../call/run/runtime.js";
import type { Subject } from "../../call/run/subject.js";

/** The profile that gates functions, and for whom they are called. */
export interface ApplyProfileOptions extends Pick<RunContext, "tenantId" | "requester"> {
  /** A profile of the policy. */
  profile: string;
  /** The conversation that the calls belong to. @default none */
  threadId?: string;
  /**
   * The script that calls the functions, and the name of the object with them: `{ code, object: "codemode" }`. People who
   * decide about one of its calls see which others it appears to make. @default none
   */
  script?: { code: string; object: string };
}

const id = z.string().trim().min(1);
const optionsSchema = z.strictObject({
  profile: z.string(),
  tenantId: id.optional(),
  threadId: id.optional(),
  script: z.strictObject({ code: z.string(), object: id }).optional(),
  requester: z
    .object({ id, roles: z.array(z.string()).optional(), displayName: z.string().optional() })
    .optional(),
});

/** @throws CountersignError `invalid_option`, naming the field. */
export function checkOptions(options: unknown): void {
  const { error } = optionsSchema.safeParse(options);
  if (error) throw wrongOption("applyProfile()", problemText(fieldProblems(error)));
}

/**
 * For whom the functions are called. Inside a guarded run, for the subject of that run: nobody may approve their own
 * request by way of a function.
 */
export function subjectOf(
  { tenantId }: Pick<Runtime, "tenantId">,
  { requester: given, ...options }: ApplyProfileOptions,
): Subject {
  const around = currentScope()?.subject();
  const threadId = options.threadId ?? around?.threadId ?? null;
  if (around?.requester) return { ...around, threadId };
  const { displayName: requesterName, ...requester } = given ?? { id: "" };
  return {
    tenantId: around?.tenantId ?? options.tenantId ?? tenantId,
    threadId,
    requester: given ? { roles: [], ...requester } : null,
    requesterName,
    threadRules: around?.threadRules ?? [],
    threadRulesGiven: around?.threadRulesGiven ?? [],
  };
}

import { effectsSchema, reversibleSchema } from "@countersign/policy/internal/previews/effect-schema";
import type { RecordedPreview } from "@countersign/policy/internal/previews/recorded-preview";
import { ownContext } from "@countersign/policy/internal/safety-checks/safety-check";
import { bytesOf } from "@countersign/policy/internal/shared/byte-size";
import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import { canonicalJson } from "@countersign/policy/internal/shared/canonical-json";
import { jsonResult } from "@countersign/policy/internal/shared/json-result";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import { OutOfTime, withinTime } from "@countersign/policy/internal/shared/within-time";
import * as z from "zod";
import type { Preview, PreviewContext } from "./preview.js";

/** Milliseconds after which there is no preview. */
const previewLimitMs = 5_000;
/** Maximum bytes of a preview's result as JSON: 128 KiB. */
const maxBytes = 128 * 1024;

const resultSchema = z.strictObject({
  effects: effectsSchema,
  state: z.unknown().optional(),
  reversible: reversibleSchema.optional(),
});

/** A call that is rehearsed. */
export interface PreviewedCall {
  /** The arguments as JSON text. The preview gets its own copy. */
  inputJson: string;
  context: Omit<PreviewContext, "signal">;
  logger: Logger;
}

/**
 * What a call would change. Never fails: a preview that throws, takes too long or returns something of another shape says
 * why there is none. What it threw or returned may hold secrets, so only names and places are logged.
 */
export async function runPreview(preview: Preview, call: PreviewedCall): Promise<RecordedPreview> {
  const { toolName, moment } = call.context;
  const failed = (failure: "threw" | "late" | "invalid", why: string): RecordedPreview => {
    call.logger.warn(`The preview of ${toolName} ${why}, so there is none`, { toolName, moment });
    return { failed: failure };
  };
  try {
    const answer: unknown = await withinTime(previewLimitMs, (signal) =>
      preview(JSON.parse(call.inputJson), { ...ownContext(call.context), signal }),
    );
    const read = recorded(answer);
    return typeof read === "string" ? failed("invalid", `returned something else (${read})`) : read;
  } catch (error) {
    return error instanceof OutOfTime
      ? failed("late", "took too long")
      : failed("threw", `threw (${nameOfThrown(error)})`);
  }
}

/** What a preview returned, or what is wrong with it. */
function recorded(answer: unknown): RecordedPreview | string {
  const { data, lost } = jsonResult(answer);
  // A state that got lost would agree with every other.
  if (Object.hasOwn(Object(answer), "state") && Object(data).state === undefined) return "state: undefined";
  if (lost.length > 0) return `JSON cannot hold ${lost.join(", ")}`;
  const parsed = resultSchema.safeParse(data);
  if (!parsed.success) return parsed.error.issues.map(placeOf).join("; ");
  if (bytesOf(JSON.stringify(data)) > maxBytes) return `more than ${maxBytes} bytes of JSON`;
  const { effects, state = effects, reversible = null } = parsed.data;
  return {
    effectsJson: canonicalJson(effects) ?? "[]",
    stateHash: hashCanonical({ state, reversible }),
    reversible,
  };
}

/** Where a result is wrong, without its own words: unknown names may be values. */
function placeOf({ path, code }: z.core.$ZodIssue): string {
  return `${path.map(String).join(".") || "the result"}: ${code}`;
}

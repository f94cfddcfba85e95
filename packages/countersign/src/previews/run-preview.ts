import canonicalize from "canonicalize";
import { z } from "zod";
import { bytesOf } from "../shared/byte-size.js";
import { hashCanonical } from "../shared/canonical-hash.js";
import { durationMs } from "../shared/duration.js";
import type { Logger } from "../shared/logger.js";
import { nameOfThrown } from "../shared/name-of-thrown.js";
import { OutOfTime, withinTime } from "../shared/within-time.js";
import { zodProblems } from "../shared/zod-problems.js";
import type { Preview, PreviewContext } from "./preview.js";
import type { RecordedPreview } from "./recorded-preview.js";

/** Milliseconds after which there is no preview. */
const previewLimitMs = 5_000;
/** Maximum bytes of the effects, and of the state, as JSON: 64 KiB. */
const maxBytes = 64 * 1024;

/** A value as JSON holds it, if it is small enough. */
function asJson(value: unknown, context: z.RefinementCtx): unknown {
  const text = JSON.stringify(value);
  if (text === undefined) return undefined;
  if (bytesOf(text) <= maxBytes) return JSON.parse(text);
  context.addIssue({ code: "custom", message: `must be at most ${maxBytes} bytes of JSON` });
  return z.NEVER;
}

const json = z.unknown().transform(asJson);

const resultSchema = z
  .strictObject({
    effects: z
      .array(
        z.strictObject({
          target: z.string().trim().min(1).max(200),
          before: z.unknown().optional(),
          after: z.unknown().optional(),
          count: z.int().min(0).optional(),
        }),
      )
      .max(100)
      .transform(asJson),
    state: json.optional(),
    reversible: z
      .union([
        z.boolean(),
        z
          .string()
          .refine((text) => (durationMs(text) ?? 0) > 0, 'must be true, false or a time such as "30m"'),
      ])
      .optional(),
  })
  .transform(({ effects, state = effects, reversible = null }) => ({
    effectsJson: canonicalize(effects) ?? "[]",
    stateHash: hashCanonical({ state, reversible }),
    reversible,
  }));

/** A call that is rehearsed. */
export interface PreviewedCall {
  /** The arguments as JSON text. The preview gets its own copy. */
  inputJson: string;
  context: Omit<PreviewContext, "signal">;
  logger: Logger;
}

/**
 * What a call would change. Never fails: a preview that throws, takes too long or returns something of another shape says
 * why there is none. What it threw may quote secrets, so only its name is logged.
 */
export async function runPreview(preview: Preview, call: PreviewedCall): Promise<RecordedPreview> {
  const { toolName, moment } = call.context;
  const failed = (failure: "threw" | "late" | "invalid", why: string): RecordedPreview => {
    call.logger.warn(`The preview of ${toolName} ${why}, so there is none`, { toolName, moment });
    return { failed: failure };
  };
  let answer: unknown;
  try {
    answer = await withinTime(previewLimitMs, (signal) =>
      preview(JSON.parse(call.inputJson), { ...call.context, signal }),
    );
  } catch (error) {
    return error instanceof OutOfTime
      ? failed("late", "took too long")
      : failed("threw", `threw (${nameOfThrown(error)})`);
  }
  try {
    const parsed = resultSchema.safeParse(answer);
    if (parsed.success) return parsed.data;
    return failed(
      "invalid",
      `returned something else than effects (${zodProblems(parsed.error).join("; ")})`,
    );
  } catch (error) {
    // Values that are no JSON, such as those that contain themselves.
    return failed("invalid", `returned something that is no JSON (${nameOfThrown(error)})`);
  }
}

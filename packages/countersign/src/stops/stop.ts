import { isNegated, nameMatches } from "@countersign/policy/internal/policy/rules/tool-pattern";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import { storableTextSchema } from "@countersign/policy/internal/shared/storable-text";
import type * as z from "zod";

/** An operator's order that calls of some tools must not start. It applies until somebody releases it. */
export interface Stop {
  id: string;
  /** `null`: applies to all tenants. */
  tenantId: string | null;
  /** Exact name or glob of the tools whose calls it stops, matched as in policies. */
  tool: string;
  /** The reason, for people. The model does not read it. */
  reason: string;
  engagedBy: string;
  engagedAt: Date;
  releasedBy: string | null;
  releasedAt: Date | null;
  releaseReason: string | null;
}

/** Who engages or releases a stop: a principal, or an operator on the command line. */
export type StopActor = Pick<Principal, "id" | "roles" | "authenticatedBy">;

/** A stop to engage. */
export interface NewStop {
  /** `null`: all tenants. Never take it from a request. */
  tenantId: string | null;
  tool: string;
  reason: string;
  by: StopActor;
}

/** A stop to release. */
export interface StopRelease {
  id: string;
  /** The acting tenant, which can only release its own stops; `null` releases any. */
  tenantId: string | null;
  reason: string;
  by: StopActor;
}

/** The result of a release. A tenant sees stops for all tenants, but cannot release them. */
export type ReleaseStopResult =
  | { outcome: "released" | "repeated" | "forbidden"; stop: Stop }
  | { outcome: "not_found" };

/** Which stops to list. */
export interface StopFilter {
  /** A tenant's own and those for all tenants; `null`: all stops. */
  tenantId: string | null;
  /** Only engaged stops. */
  engaged?: boolean;
  limit: number;
  /** Everything after this one, newest first. */
  after?: { at: Date; id: string };
}

/** Maximum length of a reason, in characters. */
const maxReasonLength = 500;
const maxToolLength = 200;
/** Each wildcard multiplies the time to match a name, and this pattern does not come from a developer. */
const maxWildcards = 4;

export const stopReasonSchema = storableTextSchema.trim().min(1).max(maxReasonLength);

export const stopToolSchema = storableTextSchema
  .trim()
  .min(1)
  .max(maxToolLength)
  .refine((tool) => !isNegated(tool), 'must not begin with "!"; stop each tool by its name, or all with *')
  .refine((tool) => !/[()|]/.test(tool), "must be a name or a glob with *, ?, [abc] and {a,b}")
  .refine((tool) => tool.split("*").length - 1 <= maxWildcards, `must have at most ${maxWildcards} stars`);

/** The first of these stops that covers calls of a tool. */
export function coveringStop(
  stops: readonly Stop[],
  { tenantId, toolName }: { tenantId: string; toolName: string },
): Stop | undefined {
  return stops.find(
    (stop) => (stop.tenantId === null || stop.tenantId === tenantId) && nameMatches(stop.tool, toolName),
  );
}

/** @throws CountersignError `invalid_request`, naming the field. */
export function checkedStop(stop: NewStop): NewStop {
  return {
    ...stop,
    tool: checkedField("tool", stopToolSchema, stop.tool),
    reason: checkedField("reason", stopReasonSchema, stop.reason),
  };
}

/** @throws CountersignError `invalid_request`, naming the field. */
export function checkedRelease(release: StopRelease): StopRelease {
  return { ...release, reason: checkedField("reason", stopReasonSchema, release.reason) };
}

function checkedField(field: string, schema: z.ZodType<string>, value: string): string {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new CountersignError("invalid_request", `${field}: ${parsed.error.issues[0]?.message}`);
}

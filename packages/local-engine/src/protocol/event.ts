import * as z from "zod";
import { wellFormed } from "./unicode.js";

/** Rejects NUL, which Postgres cannot store. Other fields are stored as JSON text, which escapes it. */
const noNul = (value: string) => !value.includes("\u0000");

/** As with Inngest, only the engine may send events about runs. */
const notReserved = (name: string) => !name.toLowerCase().startsWith("inngest/");

/**
 * A field that the engine itself adds to an event's data. If a client sends it, perhaps by passing on another event's
 * data, it is removed.
 */
const engineNote = "_inngest";

/** Inngest's server accepts times from 1980 up to 2100. */
const timeSchema = z
  .number()
  .int()
  .refine((ts) => ts === 0 || ts >= Date.UTC(1980), "is before 1980")
  .refine((ts) => ts <= Date.UTC(2100), "is after 2100");

/** A JSON object. `z.record` would drop a field `__proto__`, which the server keeps. */
export const jsonObjectSchema = z.custom<Record<string, unknown>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "must be an object",
);

/** An event as a client sends it. */
export const incomingEventSchema = z.object({
  name: z
    .string()
    .min(1)
    .max(512, "must have at most 512 characters")
    .refine(noNul, "must not contain NUL")
    .refine(notReserved, "is reserved for internal use"),
  data: jsonObjectSchema.nullish().transform((data) => {
    if (!data) return null;
    const { [engineNote]: _, ...own } = data;
    return wellFormed(own);
  }),
  id: z.string().max(512).refine(noNul, "must not contain NUL").nullish(),
  ts: timeSchema.nullish(),
  user: jsonObjectSchema.nullish(),
  v: z.string().nullish(),
  meta: z.unknown().optional(),
});

export type IncomingEvent = z.output<typeof incomingEventSchema>;

/** An event as functions, waits and expressions see it. */
export interface EngineEvent {
  /** `null` if the sender gave none. */
  data: Record<string, unknown> | null;
  id: string;
  name: string;
  ts: number;
  user: Record<string, unknown>;
  v?: string;
  meta?: unknown;
}

/** Adds the defaults to an incoming event. */
export function toEngineEvent(incoming: IncomingEvent, internalId: string, now: number): EngineEvent {
  return {
    data: incoming.data,
    id: incoming.id || internalId,
    name: incoming.name,
    ts: incoming.ts || now,
    user: incoming.user ?? {},
    ...(incoming.v ? { v: incoming.v } : {}),
    ...(incoming.meta === undefined || incoming.meta === null ? {} : { meta: incoming.meta }),
  };
}

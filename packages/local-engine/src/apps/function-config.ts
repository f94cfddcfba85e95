import * as z from "zod";

const trigger = z.union([
  z.object({ event: z.string().min(1), expression: z.string().optional() }),
  z.object({ cron: z.string().min(1) }),
]);

/** The configuration of a function in the registration of its app. Options that the engine does not know are kept. */
export const functionConfigSchema = z.looseObject({
  id: z.string().min(1),
  name: z.string().optional(),
  triggers: z.array(trigger),
  steps: z.record(
    z.string(),
    z.looseObject({
      runtime: z.looseObject({ type: z.string(), url: z.url() }),
      retries: z.object({ attempts: z.number().int().min(0).optional() }).optional(),
    }),
  ),
  idempotency: z.string().optional(),
  cancel: z
    .array(z.object({ event: z.string().min(1), if: z.string().optional(), timeout: z.string().optional() }))
    .optional(),
});

/** A function as its app registered it. */
export type FunctionConfig = z.output<typeof functionConfigSchema>;

/** The body of `POST /fn/register`. */
export const registrationSchema = z.object({
  url: z.url(),
  appName: z.string().min(1),
  functions: z.array(functionConfigSchema),
});

/** The response to an in-band sync: the app's functions, returned for the engine's `PUT`. */
export const inBandRegistrationSchema = z.object({
  url: z.url(),
  app_id: z.string().min(1),
  functions: z.array(functionConfigSchema),
});

/** Flow control and limits of the hosted service that one process does not offer. */
const UNSUPPORTED = [
  "batchEvents",
  "rateLimit",
  "throttle",
  "concurrency",
  "debounce",
  "priority",
  "timeouts",
  "singleton",
] as const;

/** The options of a function that have no effect here. */
export function findUnsupportedOptions(config: FunctionConfig): string[] {
  return UNSUPPORTED.filter((option) => config[option] !== undefined);
}

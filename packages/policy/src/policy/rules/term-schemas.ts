import * as z from "zod";
import { redactPatternNames, redactPatternProblem } from "../../redaction/redact-patterns.js";
import { durationMs, maxTimeoutMs } from "../../shared/duration.js";
import { templateProblem } from "../template-problem.js";

const withoutUnit = ({ input }: { input?: unknown }) =>
  typeof input === "number" ? `needs a unit; write ${input}m for minutes, ${input}s for seconds` : undefined;

export const duration = z.string({ error: withoutUnit }).refine((text) => {
  const value = durationMs(text);
  return value !== undefined && value >= 1000 && value <= maxTimeoutMs;
}, 'must be a duration between one second and 365 days, such as "30m"');

export const fieldPath = z
  .string()
  .min(1)
  .describe("Path of an argument, such as `customer.email`; `*` matches any single key");

/** It stands behind numbers, so it begins with no digit and is too short to say anything else. */
const unit = z
  .string()
  .regex(
    /^[\p{L}\p{Sc}%°][\p{L}\p{Sc}\p{N}%°/·²³]{0,11}$/u,
    'must be a unit of at most 12 characters without blanks, such as "EUR", "kg" or "%"',
  );

export const redactPattern = z
  .string()
  .min(1)
  .max(500)
  .superRefine((pattern, context) => {
    const problem = redactPatternProblem(pattern);
    if (problem === undefined) return;
    context.addIssue({
      code: "custom",
      message: `must be ${redactPatternNames.join(", ")} or an RE2 regular expression: ${problem}`,
    });
  });

export const approversSchema = z
  .strictObject({
    roles: z.array(z.string().min(1)).optional().describe("Everyone with one of these roles may decide"),
    ids: z.array(z.string().min(1)).optional().describe("These principals may decide, too"),
  })
  // An empty list is probably a mistake and must not mean everyone.
  .refine(({ roles = [], ids = [] }) => roles.length + ids.length > 0, {
    error: "is empty; add roles or ids, or omit approvers to allow every signed-in principal",
  })
  .describe("People who may decide. Default: every signed-in principal of the tenant");

export const notifyEntry = z
  .string()
  .max(200)
  .regex(
    /^[a-z][a-z0-9-]{0,31}(:[^\s:].*)?$/,
    'must be the name of a channel, or its name and a target, such as "slack:#finance"',
  );

export const place = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be "inbox" or the name of a channel')
  .refine((name) => name !== "api", 'must be "inbox", which includes the API, or the name of a channel');

/** The longest time for which a rule may let a decision be held. */
const maxHoldMs = 60_000;

export const holdTime = z.union([
  z.literal(0, { error: 'must be 0 or a duration between one second and one minute, such as "10s"' }),
  z.string().refine((text) => {
    const value = durationMs(text);
    return value !== undefined && value >= 1000 && value <= maxHoldMs;
  }, 'must be 0 or a duration between one second and one minute, such as "10s"'),
]);

export const resultTemplate = z
  .string()
  .min(1)
  .superRefine((template, context) => {
    const problem = templateProblem(template);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  });

/** Values by the path of their argument. */
const byPath = <Value extends z.ZodType>(value: Value) =>
  z.record(z.string().regex(/^[^.*]+(\.[^.*]+)*$/), value, {
    error: ({ code }) =>
      code === "invalid_key"
        ? 'is not the path of an argument, such as "amount" or "parcel.weight"'
        : undefined,
  });

export const unitsByPath = byPath(unit);

const maxShownName = 40;

/** A few words that people read in place of a name of the code. What cannot be seen could hide in them, or move other text. */
const shownName = (examples: string) => {
  const problem = `must be one line of at most ${maxShownName} visible characters, such as ${examples}; shorten it, and remove line breaks, doubled blanks and invisible characters`;
  return z
    .string()
    .max(maxShownName, { error: problem, abort: true })
    .regex(/^[^\p{C}\p{Z}\p{DI}\u2800]+( [^\p{C}\p{Z}\p{DI}\u2800]+)*$/u, problem);
};

export const callLabel = shownName('"Refund" or "Pay supplier"');
export const namesByPath = byPath(shownName('"Order" or "Customer"'));

export const escalationSteps = z.array(
  z.strictObject({
    after: duration.describe("Time after which the step happens"),
    remind: z.literal(true).optional().describe("The step is a reminder"),
    escalateTo: z.array(z.string().min(1)).optional().describe("Roles that may decide, too, from then on"),
  }),
);

export const codePlace = z.strictObject({
  field: fieldPath.describe("Path of the argument with the JavaScript code"),
  object: z.string().min(1).describe("The object whose calls to find, such as `codemode`"),
});

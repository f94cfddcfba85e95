import * as z from "zod";
import { habits } from "../../insight/habit-of.js";
import { time } from "./approval-schemas.js";

const wait = z.number().describe("Milliseconds");

const ruleInsightSchema = z.object({
  tool: z.string(),
  rules: z
    .array(z.string())
    .describe("The ids of the rules that gave a reason or added a requirement; may be empty"),
  asked: z.int().describe("Calls about which people were asked"),
  approved: z.int().describe("By a person, unchanged or with changes"),
  denied: z.int(),
  answered: z.int().describe("A person supplied the result instead"),
  expired: z.int().describe("Nobody decided in time"),
  medianWaitMs: wait.nullable().describe("Milliseconds until the decision or the expiry; null without one"),
  p90WaitMs: wait.nullable().describe("Nine of ten calls waited at most this long"),
  habit: z
    .enum(habits)
    .nullable()
    .describe(
      "always_approved: all of at least 10 decided calls; often_denied: at least 30 % of at least 5 decided calls",
    ),
});

const suggestionSchema = z.object({
  tool: z.string(),
  verdict: z
    .enum(["notify", "deny"])
    .describe("notify: the calls would run, and people would be notified; deny: they would not run"),
  when: z.string(),
  calls: z.int().describe("The number of calls that it comes from"),
  examples: z
    .array(z.object({ id: z.string(), summary: z.string() }))
    .describe("Up to five of them, the latest first"),
  changes: z.array(
    z.object({
      file: z.string().describe("The name of the policy file"),
      rule: z.string().nullable().describe("The rule whose condition changes; null for a new rule"),
      text: z.string().describe("What would be written into the file"),
    }),
  ),
  tested: z.int().describe("Later calls that people decided as the rule would have"),
});

export const insightQuery = z.object({
  days: z.enum(["7", "30", "90"]).default("30").describe("How far back to look"),
});

export const insightSchema = z.object({
  days: z.int(),
  asked: z.int().describe("The calls counted, at most the latest 20,000"),
  more: z.boolean().describe("There were more, which are not counted"),
  rules: z
    .array(ruleInsightSchema)
    .describe("One for each tool and set of rules, most calls first; at most 200"),
  approvers: z
    .array(
      z.object({
        id: z.string(),
        decisions: z.int(),
        medianWaitMs: wait.describe("Milliseconds from the question to their decision"),
      }),
    )
    .describe("One for each person who decided or voted, most decisions first; at most 200"),
  suggestions: z
    .discriminatedUnion("state", [
      z.object({ state: z.enum(["auditors_only", "no_policy_files"]) }),
      z.object({
        state: z.literal("found"),
        learned: z.int().describe("The decided calls that taught"),
        tested: z.int().describe("The later calls, which only tested"),
        testedSince: time.describe("When the last third of the time began, whose calls only test"),
        items: z.array(suggestionSchema),
      }),
    ])
    .describe("Rules that would follow, as countersign policy suggest finds them"),
  serverTime: time,
});

import * as z from "zod";
import { type Counted, CountProblem, countNamed } from "./counts.js";

const call = /^\s*(calls|spent)\s*\((.*)\)\s*$/s;
const wanted = 'must be a count as in a condition, such as calls("issue_refund", "1h")';

/** Numbers by counts, however their arguments are spaced. */
export const countedSchema = z
  .record(z.string(), z.number().min(0))
  .transform((numbers, context): Counted => {
    const named: Record<string, number> = {};
    for (const [text, number] of Object.entries(numbers)) {
      const name = textOf(text);
      if ("problem" in name) context.addIssue({ code: "custom", path: [text], message: name.problem });
      else named[name.text] = number;
    }
    return named;
  })
  .describe(
    'What limits over time counted, with the call itself: {"calls(\\"issue_refund\\", \\"1h\\")": 3}',
  );

function textOf(written: string): { text: string } | { problem: string } {
  const [, name, inner] = call.exec(written) ?? [];
  const args = z.array(z.string()).safeParse(jsonOf(`[${inner ?? ""}]`)).data;
  if ((name !== "calls" && name !== "spent") || !args) return { problem: wanted };
  try {
    return countNamed(name, args);
  } catch (error) {
    if (error instanceof CountProblem) return { problem: error.message };
    throw error;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { requestHumanInputName } from "@countersign/policy/internal/policy/rules/question-rule";
import type { Terms } from "@countersign/policy/internal/policy/rules/terms";
import { answerForm } from "@countersign/policy/internal/questions/answer-form";
import * as z from "zod";

const question = z.object({
  message: z.string().min(1).max(10_000).describe("The complete question; the person sees nothing else"),
  choices: z
    .array(z.string().min(1).max(500))
    .min(2)
    .max(50)
    .optional()
    .describe("Possible answers, of which the person chooses one"),
  form: answerForm
    .optional()
    .describe("Form fields: a flat JSON Schema object of strings, numbers, booleans and enums"),
});

/** The tool, for the tools of an agent of AgentKit and for a gate. */
export interface HumanInputTool {
  name: string;
  description: string;
  parameters: z.ZodType;
  strict: boolean;
  handler(): never;
}

const marker = Symbol.for("countersign:question");

/**
 * The tool `request_human_input`: the agent asks, a person answers in the inbox, and the answer is the tool's result.
 * It waits durably and expires like an approval. The person may also decline or cancel.
 *
 * @param terms Approvers and timeout of the question. By default, any signed-in principal of the tenant may answer.
 *
 * @example
 * ```ts
 * import { createAgent } from "@inngest/agent-kit";
 * import type { Countersign } from "countersign/agent-kit";
 *
 * export const supportAgent = (countersign: Countersign) =>
 *   createAgent({
 *     name: "support",
 *     system: "If you are missing information, call request_human_input.",
 *     lifecycle: countersign.lifecycle(),
 *     tools: [countersign.requestHumanInput({ timeout: "2 hours" })],
 *   });
 * ```
 */
export function requestHumanInput(terms: Pick<Terms, "approvers" | "timeout" | "risk"> = {}): HumanInputTool {
  const tool: HumanInputTool = {
    name: requestHumanInputName,
    description: "Asks a person for information or a preference and waits for the answer.",
    parameters: question,
    // OpenAI's strict mode does not support optional fields.
    strict: false,
    handler() {
      throw new Error(
        "A person answers this tool, which requires the Countersign hook. Add countersign.lifecycle() or countersign.guard(agent).",
      );
    },
  };
  return Object.assign(tool, { [marker]: terms });
}

/** The terms of the tool above; `undefined` for any other tool, even one with the same name. */
export function questionTerms(tool: object): Terms | undefined {
  const terms: unknown = Reflect.get(tool, marker);
  return typeof terms === "object" && terms !== null ? terms : undefined;
}

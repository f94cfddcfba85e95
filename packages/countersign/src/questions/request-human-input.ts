import { createTool, type Tool } from "@inngest/agent-kit";
import { z } from "zod";
import type { Terms } from "../policy/rule.js";
import { answerForm } from "./answer.js";

/** Name of the tool by which an agent asks a person. */
export const requestHumanInputName = "request_human_input";

const question = z.object({
  message: z
    .string()
    .min(1)
    .max(10_000)
    .describe("The question, complete in itself: the person sees only this"),
  choices: z
    .array(z.string().min(1).max(500))
    .min(2)
    .max(50)
    .optional()
    .describe("Answers to choose one from"),
  form: answerForm
    .optional()
    .describe("Fields to fill in: a flat JSON Schema object of strings, numbers, booleans and enums"),
});

const marker = Symbol.for("countersign:question");

/**
 * The tool `request_human_input`: the agent asks, a person answers in the inbox, and the answer is the tool's result.
 * It waits as durably as an approval does, and expires as one. The person may also decline or cancel.
 *
 * @param terms Who may answer, and how long they have; left out, any signed-in principal of the tenant.
 *
 * @example
 * ```ts
 * import { createAgent } from "@inngest/agent-kit";
 * import type { Countersign } from "countersign";
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
export function requestHumanInput(terms: Pick<Terms, "approvers" | "timeout" | "risk"> = {}): Tool.Any {
  const tool: Tool.Any = {
    ...createTool({
      name: requestHumanInputName,
      description: "Asks a person for information or a preference and waits for the answer.",
      parameters: question,
      handler: () => {
        throw new Error("A person answers this tool; without the Countersign hook nobody is asked.");
      },
    }),
    // Its optional fields are more than OpenAI's strict mode takes.
    strict: false,
  };
  return Object.assign(tool, { [marker]: terms });
}

/** Who may answer and how soon, for the tool above; `undefined` for any other, whatever its name. */
export function questionTerms(tool: Tool.Any): Terms | undefined {
  const terms: unknown = Reflect.get(tool, marker);
  return typeof terms === "object" && terms !== null ? terms : undefined;
}

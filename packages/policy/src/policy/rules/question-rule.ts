import type { CompiledRule } from "./compiled-rule.js";
import { manual } from "./verdict.js";

/** Name of the tool with which an agent asks a person. */
export const requestHumanInputName = "request_human_input";

/** Agents' questions wait for a person's answer without a rule of their own, because they run nothing. */
export const questionRule: CompiledRule = {
  id: "questions",
  layer: "built-in",
  tools: [requestHumanInputName],
  except: [],
  effect: {
    kind: "function",
    decide: ({ question }) =>
      question && manual({ risk: "low", reason: "The agent asks a person", ...question }),
  },
};

import type { CompiledRule } from "./compiled-rule.js";
import { manual } from "./verdict.js";

/** Questions of agents wait for a person's answer, without a rule of the user's: nothing runs by them. */
export const questionRule: CompiledRule = {
  id: "questions",
  layer: "built-in",
  tools: ["request_human_input"],
  except: [],
  says: {
    how: "code",
    decide: ({ question }) =>
      question && manual({ risk: "low", reason: "The agent asks a person", ...question }),
  },
};

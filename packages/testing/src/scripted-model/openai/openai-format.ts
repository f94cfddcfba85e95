import { fieldProblems, problemText } from "@countersign/policy/internal/shared/zod-problems";
import type { ProviderFormat } from "../provider-format.js";
import { checkPairing } from "./check-pairing.js";
import { checkTools } from "./check-tools.js";
import { refuse, refuseWith } from "./refuse.js";
import { openAiRequest } from "./request.js";
import { toConversation } from "./to-conversation.js";
import { toResponse } from "./to-response.js";

/** OpenAI's chat completions. */
export const openAiFormat: ProviderFormat = {
  name: "openai",

  authorize(headers) {
    if (/^Bearer\s+\S/i.test(headers.get("authorization") ?? "")) return;
    throw refuseWith(401, "The authorization header must be a bearer token");
  },

  accept(body) {
    const parsed = openAiRequest.safeParse(body);
    if (!parsed.success) {
      const problems = fieldProblems(parsed.error);
      throw refuse(problemText(problems), problems[0]?.field);
    }
    const request = parsed.data;
    if (request.stream)
      throw refuse("The scripted model does not support streaming. Omit 'stream'.", "stream");
    checkTools(request.tools);
    checkPairing(request.messages);
    return {
      conversation: toConversation(request),
      respond: (reply) => toResponse(request.model, JSON.stringify(request.messages).length, reply),
    };
  },

  malformed: () => refuse("The request body is not valid JSON"),

  failed: (message) => refuseWith(500, message),
};

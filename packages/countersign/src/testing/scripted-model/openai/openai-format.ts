import type { ProviderFormat } from "../provider-format.js";
import { checkPairing } from "./check-pairing.js";
import { checkTools } from "./check-tools.js";
import { refuse, refuseWith } from "./refuse.js";
import { openAiRequest } from "./request.js";
import { shapeRefusal } from "./shape-refusal.js";
import { toConversation } from "./to-conversation.js";
import { toResponse } from "./to-response.js";

/** OpenAI's chat completions. */
export const openAiFormat: ProviderFormat = {
  name: "openai",

  authorize(headers) {
    if (/^Bearer\s+\S/i.test(headers.get("authorization") ?? "")) return;
    throw refuseWith(
      401,
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
    );
  },

  accept(body) {
    const parsed = openAiRequest.safeParse(body, { reportInput: true });
    if (!parsed.success) throw shapeRefusal(parsed.error);
    const request = parsed.data;
    if (request.stream) throw refuse("The scripted model does not stream. Leave 'stream' out.", "stream");
    checkTools(request.tools);
    checkPairing(request.messages);
    return {
      conversation: toConversation(request),
      respond: (reply) => toResponse(request.model, JSON.stringify(request.messages).length, reply),
    };
  },

  malformed: () =>
    refuse(
      "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
    ),

  failed: (message) => refuseWith(500, message),
};

import { zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import type { ProviderFormat } from "../provider-format.js";
import { checkContent } from "./check-content.js";
import { checkPairing } from "./check-pairing.js";
import { refuse, refuseWith } from "./refuse.js";
import { anthropicRequest } from "./request.js";
import { toConversation } from "./to-conversation.js";
import { toResponse } from "./to-response.js";

/** Anthropic's messages. */
export const anthropicFormat: ProviderFormat = {
  name: "anthropic",

  authorize(headers) {
    // The official client sends a key in either header, depending on its version.
    const key = headers.get("x-api-key")?.trim() || /^Bearer +\S/.test(headers.get("authorization") ?? "");
    if (!key) throw refuseWith(401, "x-api-key header is required");
    if (!headers.get("anthropic-version")) throw refuse("anthropic-version: header is required");
  },

  accept(body) {
    const parsed = anthropicRequest.safeParse(body);
    if (!parsed.success) throw refuse(zodProblems(parsed.error).join("; "));
    const request = parsed.data;
    if (request.stream) throw refuse("stream: the scripted model does not support streaming");
    checkContent(request.messages);
    checkPairing(request.messages);
    return {
      conversation: toConversation(request),
      respond: (reply) => toResponse(request.model, JSON.stringify(request.messages).length, reply),
    };
  },

  malformed: () => refuse("The request body is not valid JSON"),

  failed: (message) => refuseWith(500, message),
};

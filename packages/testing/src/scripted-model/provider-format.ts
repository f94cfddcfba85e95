import type { Conversation, ModelFormat } from "./conversation.js";
import type { ModelRefusal } from "./model-refusal.js";
import type { ResolvedReply } from "./reply.js";

/** A request that the provider would accept, and how to respond to it. */
export interface AcceptedRequest {
  conversation: Conversation;
  respond(reply: ResolvedReply): unknown;
}

/** One provider's side of the wire. Refusals are thrown as `ModelRefusal`. */
export interface ProviderFormat {
  name: ModelFormat;
  authorize(headers: Headers): void;
  accept(body: unknown): AcceptedRequest;
  /** The refusal of a body that is not JSON. */
  malformed(): ModelRefusal;
  /** The response if the script throws. */
  failed(message: string): ModelRefusal;
}

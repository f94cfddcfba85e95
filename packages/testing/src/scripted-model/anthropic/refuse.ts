import { ModelRefusal } from "../model-refusal.js";

const types: Record<number, string> = { 400: "invalid_request_error", 401: "authentication_error" };

/** A 400 in Anthropic's error envelope. */
export function refuse(message: string): ModelRefusal {
  return refuseWith(400, message);
}

/** An error in Anthropic's envelope with a status of its own. */
export function refuseWith(status: number, message: string): ModelRefusal {
  const type = types[status] ?? "api_error";
  return new ModelRefusal(status, message, { type: "error", error: { type, message } });
}

import { ModelRefusal } from "../model-refusal.js";

/** A 400 in OpenAI's error envelope. */
export function refuse(
  message: string,
  param: string | null = null,
  code: string | null = null,
): ModelRefusal {
  return refuseWith(400, message, param, code);
}

/** An error in OpenAI's envelope with a status of its own. */
export function refuseWith(
  status: number,
  message: string,
  param: string | null = null,
  code: string | null = null,
): ModelRefusal {
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  return new ModelRefusal(status, message, { error: { message, type, param, code } });
}

import * as z from "zod";
import type { ModelResponse } from "../call/message.js";

const userBody = z.object({ content: z.string(), eventId: z.string().optional() });

const resultBody = z.object({
  agentName: z.string(),
  output: z.array(z.custom<ModelResponse["output"][number]>((value) => typeof value === "object")),
  toolCalls: z.array(z.custom<ModelResponse["toolCalls"][number]>((value) => typeof value === "object")),
  createdAt: z.coerce.date(),
});

/** An agent's output and the results of its tools, as a thread entry stores them. */
export type ResultBody = z.infer<typeof resultBody>;

export function userContentOf(bodyJson: string): string {
  return userBody.parse(JSON.parse(bodyJson)).content;
}

/** The id of the event whose run wrote a user's message. */
export function eventIdOf(bodyJson: string): string | undefined {
  return userBody.parse(JSON.parse(bodyJson)).eventId;
}

export function resultOf(bodyJson: string): ResultBody {
  return resultBody.parse(JSON.parse(bodyJson));
}

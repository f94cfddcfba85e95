import type { ConversationToolCall } from "@countersign/testing";
import { z } from "zod";
import type { Outcome } from "./outcome.js";
import type { ProposedCall } from "./proposed-call.js";

/** The tool with which the agent asks a person. */
const questionTool = "request_human_input";

/** Tools that are called only after an answered question. */
const followUpTools = ["book_carrier", "change_address"];

/** A question with choices. */
export function askForCarrier(orderId: string): ProposedCall {
  return {
    name: questionTool,
    input: {
      message: `Which carrier should take order ${orderId} to the customer?`,
      choices: ["DHL", "UPS", "GLS"],
    },
  };
}

/** A question with a form. */
export function askForAddress(orderId: string): ProposedCall {
  return {
    name: questionTool,
    input: {
      message: `What is the customer's new address for order ${orderId}?`,
      form: {
        type: "object",
        properties: {
          street: { type: "string", title: "Street and number", minLength: 1 },
          postcode: { type: "string", title: "Postcode", minLength: 4, maxLength: 10 },
          city: { type: "string", title: "City", minLength: 1 },
          country: { type: "string", title: "Country", enum: ["AT", "CH", "DE"] },
          floor: { type: "integer", title: "Floor", minimum: 0, maximum: 60 },
          leaveAtDoor: { type: "boolean", title: "May be left at the door" },
        },
        required: ["street", "postcode", "city", "country"],
      },
    },
  };
}

const answer = z.discriminatedUnion("action", [
  z.object({ action: z.literal("accept"), content: z.record(z.string(), z.unknown()) }),
  z.object({ action: z.enum(["decline", "cancel"]) }),
]);
const chosen = z.object({ choice: z.string() });
const question = z.object({ message: z.string() });

/** The call that follows an answer: it books the carrier or changes the address. */
export function followUp(call: ConversationToolCall, outcome: Outcome): ProposedCall[] {
  const reply = answerOf(call, outcome);
  const orderId = /A-\d{4}/.exec(questionOf(call))?.[0];
  if (reply?.action !== "accept" || orderId === undefined) return [];
  const choice = chosen.safeParse(reply.content).data?.choice;
  return choice === undefined
    ? [{ name: "change_address", input: { orderId, ...reply.content } }]
    : [{ name: "book_carrier", input: { orderId, carrier: choice } }];
}

export function isFollowUp(call: ConversationToolCall): boolean {
  return followUpTools.includes(call.name);
}

/** One sentence about the outcome of a question. `undefined` if the call is not a question or was not asked. */
export function tellAnswer(call: ConversationToolCall, outcome: Outcome): string | undefined {
  if (call.name !== questionTool) return undefined;
  const asked = questionOf(call);
  if (outcome.kind === "expired") return `Nobody answered in time: ${asked} So nothing was changed.`;
  const reply = answerOf(call, outcome);
  switch (reply?.action) {
    case "accept":
      return `I asked: ${asked} The answer: ${Object.values(reply.content).join(", ")}.`;
    case "decline":
      return `The person whom I asked declined to answer: ${asked} So nothing was changed.`;
    case "cancel":
      return `The person whom I asked closed the question without an answer: ${asked} So nothing was changed.`;
    default:
      return undefined;
  }
}

function answerOf(call: ConversationToolCall, outcome: Outcome): z.infer<typeof answer> | undefined {
  if (call.name !== questionTool || outcome.kind !== "done") return undefined;
  return answer.safeParse(outcome.data).data;
}

function questionOf(call: ConversationToolCall): string {
  return question.safeParse(call.input).data?.message ?? "";
}

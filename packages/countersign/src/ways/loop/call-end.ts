import { refusalContent } from "../../agentkit/transcript/transcript.js";
import type { Refusal } from "../../approval/refusal-text.js";
import type { Settled } from "../../call/settle.js";

/** How a call ended, and what its model reads about it. */
export type GateResult = CallEnd & {
  /** The id that the model gave the call. */
  id: string;
  /** The name of the tool. */
  name: string;
};

/** How a call ended, by its `status`. */
export type CallEnd = {
  /** Text for a tool message of OpenAI, Anthropic and others. */
  content: string;
} /** `note` says what the model must know beside the output, such as changed arguments; `content` has it too. */ & (
  | { status: "executed"; output: unknown; note?: string; isError: false }
  /** A person answered in place of the tool. */
  | { status: "responded"; output: unknown; isError: false }
  /** It did not run. `refusal` says why, and whether people had a part in it. */
  | { status: "refused"; output: null; refusal: Refusal; isError: true }
  /** It started once, and nobody knows how far it got. It does not start again. */
  | { status: "interrupted"; output: null; refusal: Refusal; isError: true }
  /** `execute` threw this error. */
  | { status: "failed"; output: null; error: { name: string; message: string }; isError: true }
);

/** @param note What the model must know beside the result, such as changed arguments. */
export function ended(outcome: Settled, note?: string): CallEnd {
  switch (outcome.status) {
    case "executed": {
      const notes = [note, outcome.note].filter((one) => one !== undefined).join(" ");
      return {
        status: "executed",
        output: outcome.data ?? null,
        ...(notes !== "" && { note: notes }),
        content: contentOf(outcome.data, notes),
        isError: false,
      };
    }
    case "failed": {
      const { name, message } = outcome.error;
      return {
        status: "failed",
        output: null,
        error: { name, message },
        content: `${name}: ${message}`,
        isError: true,
      };
    }
    case "refused":
      return refused(outcome.refusal);
    case "responded":
      return responded(outcome.data);
  }
}

export function refused(refusal: Refusal): CallEnd {
  const status = refusal.code === "execution_interrupted" ? "interrupted" : "refused";
  return { status, output: null, refusal, content: refusal.message, isError: true };
}

export function responded(response: unknown): CallEnd {
  return { status: "responded", output: response, content: contentOf(response, ""), isError: false };
}

/** What a thread keeps of a call's end: AgentKit's form of a tool's result. */
export function keptResult(end: CallEnd): unknown {
  switch (end.status) {
    case "executed":
      return { data: end.output, ...(end.note !== undefined && { note: end.note }) };
    case "responded":
      return { data: end.output };
    case "failed":
      return { error: end.error };
    case "refused":
    case "interrupted":
      return refusalContent(end.refusal);
  }
}

/** Text as it is; everything else as JSON. */
export function contentOf(data: unknown, note: string): string {
  if (note !== "") return JSON.stringify({ data: data ?? null, note });
  if (typeof data === "string") return data;
  return data === undefined ? "The tool ran and returned nothing." : JSON.stringify(data);
}

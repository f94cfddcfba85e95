import { jsonResult } from "@countersign/policy/internal/shared/json-result";
import { fieldProblems, problemText } from "@countersign/policy/internal/shared/zod-problems";
import * as z from "zod";
import { mistake } from "../../call/run/mistake.js";

/** One call of a model's response. */
export interface GateCall {
  /** The id that the model gave the call. Within a response it names one call. */
  id: string;
  name: string;
  /**
   * The arguments: an object, or its JSON text as OpenAI sends it. Text that is no JSON is refused, and the model reads
   * why.
   */
  input: unknown;
}

const callsSchema = z.array(z.object({ id: z.string(), name: z.string().min(1), input: z.unknown() }));

/**
 * Calls as JSON holds them. Nothing else is judged, shown or run, and the caller may change its objects meanwhile.
 *
 * @throws CountersignError `invalid_request`, naming the call.
 */
export function readCalls(given: readonly GateCall[]): GateCall[] {
  const calls = callsSchema.safeParse(given);
  if (!calls.success) throw invalid(problemText(fieldProblems(calls.error, "calls")));
  const toolOf = new Map<string, string>();
  return calls.data.map(({ id, name, input }) => {
    if (id === "")
      throw invalid(
        `the call of "${name}" has no id. Pass the id that the model gave it, or one of your own`,
      );
    const other = toolOf.get(id);
    if (other !== undefined) {
      const names = other === name ? `"${name}"` : `"${other}" and "${name}"`;
      throw invalid(
        `two calls have the id "${id}" (of ${names}), so their results could not be told apart. Pass each call of the response once, with an id of its own`,
      );
    }
    toolOf.set(id, name);
    return { id, name, input: inputOf(name, input) };
  });
}

/** Text that is no JSON stays text, which is refused like everything that is no object. */
function inputOf(name: string, input: unknown): unknown {
  if (typeof input === "string") {
    try {
      return JSON.parse(input === "" ? "{}" : input);
    } catch {
      return input;
    }
  }
  const { data, lost } = jsonResult(input ?? {});
  if (lost.length === 0) return data;
  throw invalid(
    `the input of a call of "${name}" cannot be written as JSON (${lost.join(", ")}). Pass what the model sent`,
  );
}

function invalid(problem: string): Error {
  return mistake("invalid_request", `gate: ${problem}.`);
}

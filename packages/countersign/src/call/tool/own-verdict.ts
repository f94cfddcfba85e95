import type { Evaluation } from "@countersign/policy/internal/policy/policy";
import { verdictKinds } from "@countersign/policy/internal/policy/rules/rule";
import type { ToolMessage } from "../message.js";
import type { Tool } from "../tool.js";

/** What a tool itself says about a call. */
export interface OwnVerdict {
  kind: "ask" | "deny";
  /** For whoever decides; of a denied call, for the model. */
  reason: string;
}

type Judge = (input: unknown, callId: string) => Promise<OwnVerdict | undefined>;

const judges = new WeakMap<Tool, Judge>();

/** Lets a tool itself judge its calls. It may only depend on the arguments, because a retry judges again. */
export function judgesItself<T extends Tool>(tool: T, judge: Judge): T {
  judges.set(tool, judge);
  return tool;
}

/** What the tool itself says about a call; `undefined` if it has nothing to say. */
export async function ownVerdict(
  tool: Tool,
  { id, input }: Pick<ToolMessage, "id" | "input">,
): Promise<OwnVerdict | undefined> {
  return judges.get(tool)?.(input, id);
}

/** The policy's evaluation of a call, or the tool's own verdict if that is stricter. */
export function withOwnVerdict(evaluation: Evaluation, own: OwnVerdict | undefined): Evaluation {
  if (!own || verdictKinds.indexOf(own.kind) <= verdictKinds.indexOf(evaluation.kind)) return evaluation;
  const { kind, reason } = own;
  return { kind, terms: { ...evaluation.terms, reason, reasons: [{ rule: "tool", reason, adds: {} }] } };
}

import { isOpened } from "@countersign/policy/internal/policy/rules/opened-field";
import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";
import type { ApprovalView } from "countersign/client";
import { isQuestion } from "../turn/chat-approval.js";

type JsonSchema = Record<string, unknown>;

/** What an answer looks like: a verdict, or the answer to a question. */
export function answerSchema(approval: ApprovalView): JsonSchema {
  if (isQuestion(approval)) {
    return {
      type: "object",
      properties: { action: { enum: ["accept", "decline", "cancel"] }, content: { type: "object" } },
      required: ["action"],
    };
  }
  const { yourDecisions, inputSchema, input, editable } = approval;
  return {
    type: "object",
    properties: {
      approved: { type: "boolean" },
      reason: { type: "string" },
      ...(yourDecisions.includes("edit") && {
        editedArguments: editSchema(inputSchema, input, editable, []),
      }),
    },
    required: ["approved"],
  };
}

/** The schema of edited arguments. What the rule does not open has its present value. */
function editSchema(given: unknown, value: unknown, editable: readonly string[], path: string[]): JsonSchema {
  const schema = isPlainObject(given) ? given : {};
  if (path.length > 0 && isOpened(path.join("."), editable)) return schema;
  if (path.length > 0 && !opensWithin(path, editable)) return { const: value };
  const known = isPlainObject(schema.properties) ? schema.properties : {};
  const present = isPlainObject(value) ? value : {};
  const isOffered = (name: string) =>
    Object.hasOwn(present, name) || isOpened([...path, name].join("."), editable);
  const names = [...new Set([...Object.keys(known), ...Object.keys(present)])].filter(isOffered);
  return {
    ...schema,
    type: "object",
    properties: Object.fromEntries(
      names.map((name) => [name, editSchema(known[name], present[name], editable, [...path, name])]),
    ),
  };
}

/** Whether a field inside this one may be changed. */
function opensWithin(path: readonly string[], editable: readonly string[]): boolean {
  return editable.some((opened) => {
    const keys = opened.split(".");
    return (
      keys.length > path.length && path.every((key, index) => keys[index] === "*" || keys[index] === key)
    );
  });
}

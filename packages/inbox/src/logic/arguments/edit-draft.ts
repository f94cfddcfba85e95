import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { type ArgumentField, argumentFields } from "./argument-fields.js";
import { type JsonSchema, schemaOf } from "./json-schema.js";
import { numberInput, parseNumber } from "./parse-number.js";
import { withValueAt } from "./paths.js";

/** The text typed into fields, by field path. */
export type EditDraft = Readonly<Record<string, string>>;

export interface FieldEdit {
  field: ArgumentField;
  text: string;
  value: unknown;
}

export interface ReadDraft {
  changes: FieldEdit[];
  /** Errors by field path. */
  problems: Record<string, string>;
}

/** The arguments of a call as the rows of its editor. */
export function fieldsOf(approval: Approval): ArgumentField[] {
  const { input, editable, units, names } = approval;
  return argumentFields(input, { schema: schemaOf(approval), editable, units, names });
}

/** Whether the reader can change any of a call's arguments now. */
export function mayEdit(approval: Approval, fields: readonly ArgumentField[]): boolean {
  const decisions = approval.yourDecisions ?? approval.decisions;
  return (
    approval.status === "pending" && decisions.includes("edit") && approval.mayDecide && fields.some(isOpen)
  );
}

/** Whether the call's rule opens the field for editing, and the reader sees its value. */
function isOpen({ editable, hidden }: ArgumentField): boolean {
  return editable && !hidden;
}

/** The text of a value in its control. Numbers are as in the reader's locale, except in a choice of values. */
export function draftText(value: unknown, schema?: JsonSchema): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" && !schema?.enum) return numberInput(value);
  return value === undefined ? "" : JSON.stringify(value, null, typeof value === "object" ? 2 : 0);
}

/** The type of a field, by its schema or else by its value. */
export function fieldType(
  value: unknown,
  schema: JsonSchema | undefined,
): "number" | "boolean" | "text" | "json" {
  const types = [schema?.type ?? []].flat();
  if (types.includes("number") || types.includes("integer")) return "number";
  if (types.includes("boolean")) return "boolean";
  if (types.includes("string")) return "text";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  return typeof value === "string" ? "text" : "json";
}

/** Parses a draft into changes and errors. */
export function readDraft(fields: readonly ArgumentField[], draft: EditDraft): ReadDraft {
  const changes: FieldEdit[] = [];
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const text = draft[field.path];
    if (text === undefined || !field.editable || text === draftText(field.value, field.schema)) continue;
    const read = readValue(text, field);
    if (read.problem !== undefined) problems[field.path] = read.problem;
    else if (JSON.stringify(read.value) !== JSON.stringify(field.value)) {
      changes.push({ field, text, value: read.value });
    }
  }
  return { changes, problems };
}

/** Whether the reader has typed changes to a call that they could send, right or wrong ones. */
export function hasChanges(approval: Approval, draft: EditDraft): boolean {
  const fields = fieldsOf(approval);
  if (!mayEdit(approval, fields)) return false;
  const { changes, problems } = readDraft(fields, draft);
  return changes.length + Object.keys(problems).length > 0;
}

/** All arguments with the changes applied. */
export function editedInput(input: unknown, changes: readonly FieldEdit[]): unknown {
  return changes.reduce((result, { field, value }) => withValueAt(result, field.keys, value), input);
}

function readValue(
  text: string,
  { value, schema }: ArgumentField,
): { value: unknown; problem?: never } | { problem: string } {
  switch (fieldType(value, schema)) {
    case "number": {
      const chosen = schema?.enum?.find((each) => String(each) === text);
      if (chosen !== undefined) return { value: chosen };
      return parseNumber(text);
    }
    case "boolean":
      return { value: text === "true" };
    case "text":
      return { value: text };
    case "json":
      try {
        const parsed: unknown = JSON.parse(text);
        return hasInfinity(parsed) ? { problem: words.values.editing.numberTooLarge } : { value: parsed };
      } catch {
        return { problem: words.values.editing.invalidJson };
      }
  }
}

/** Whether a number in it exceeds what a number can be, and would be sent as `null`. */
function hasInfinity(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasInfinity);
}

import { useMemo, useState } from "react";
import type { Approval } from "../api/approval.js";
import { useDraft } from "../data/use-draft.js";
import { type ArgumentField, argumentFields } from "../logic/argument-fields.js";
import { editedInput, type FieldEdit, readDraft } from "../logic/edit-draft.js";
import { useEditCheck } from "./use-edit-check.js";

/** An edit in place: what is open, what was typed, what it changes, and what is wrong with it. */
export interface Editing {
  /** Whether there is anything that the reader may edit now. */
  possible: boolean;
  on: boolean;
  toggle: () => void;
  fields: ArgumentField[];
  draft: Readonly<Record<string, string>>;
  setField: (path: string, text: string) => void;
  changes: FieldEdit[];
  /** All arguments as they would run. */
  input: unknown;
  /** What is wrong, by the field's path; `""` for the edit as a whole. */
  problems: Readonly<Record<string, string>>;
  /** True while the server looks at it. */
  checking: boolean;
}

export function useEditing(approval: Approval): Editing {
  const { input, inputSchema, editable, status, mayDecide } = approval;
  const decisions = approval.yourDecisions ?? approval.decisions;
  const fields = useMemo(
    () => argumentFields(input, { schema: inputSchema, editable }),
    [input, inputSchema, editable],
  );
  const possible =
    status === "pending" &&
    decisions.includes("edit") &&
    mayDecide !== false &&
    fields.some((field) => field.editable && !field.hidden);
  const [draft, changeDraft] = useDraft(approval.id);
  const [on, setOn] = useState(possible && Object.keys(draft.fields).length > 0);
  const read = useMemo(() => readDraft(fields, draft.fields), [fields, draft.fields]);
  const edited = useMemo(() => editedInput(input, read.changes), [input, read.changes]);
  const sound = possible && read.changes.length > 0 && Object.keys(read.problems).length === 0;
  const check = useEditCheck(approval.id, edited, sound);
  return {
    possible,
    on: on && status === "pending",
    toggle: () => possible && setOn((now) => !now),
    fields,
    draft: draft.fields,
    setField: (path, text) => changeDraft({ fields: { ...draft.fields, [path]: text } }),
    changes: read.changes,
    input: edited,
    problems: { ...check.problems, ...read.problems },
    checking: check.checking,
  };
}

import { useMemo, useState } from "react";
import type { Approval } from "../api/approval.js";
import { useDraft } from "../data/approvals/use-draft.js";
import type { ArgumentField } from "../logic/arguments/argument-fields.js";
import { editedInput, type FieldEdit, fieldsOf, mayEdit, readDraft } from "../logic/arguments/edit-draft.js";
import { useEditCheck } from "./use-edit-check.js";

/** The state of an edit in place. */
export interface Editing {
  /** Whether the reader can edit any field now. */
  possible: boolean;
  on: boolean;
  toggle: () => void;
  fields: ArgumentField[];
  draft: Readonly<Record<string, string>>;
  setField: (path: string, text: string) => void;
  changes: FieldEdit[];
  /** All arguments with the changes applied. */
  input: unknown;
  /** Errors by field path; `""` for the edit as a whole. */
  problems: Readonly<Record<string, string>>;
  /** Whether the server is checking the edit. */
  checking: boolean;
}

export function useEditing(approval: Approval): Editing {
  const { input, status } = approval;
  const fields = useMemo(() => fieldsOf(approval), [approval]);
  const possible = mayEdit(approval, fields);
  const [draft, changeDraft] = useDraft(approval.id);
  const [on, setOn] = useState(possible && Object.keys(draft.fields).length > 0);
  const read = useMemo(() => readDraft(fields, draft.fields), [fields, draft.fields]);
  const edited = useMemo(() => editedInput(input, read.changes), [input, read.changes]);
  const valid = possible && read.changes.length > 0 && Object.keys(read.problems).length === 0;
  const check = useEditCheck(approval.id, edited, valid);
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

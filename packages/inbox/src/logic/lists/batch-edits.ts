import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { type ArgumentField, fieldLabel } from "../arguments/argument-fields.js";
import {
  type EditDraft,
  editedInput,
  fieldsOf,
  isOpen,
  mayEdit,
  readDraft,
} from "../arguments/edit-draft.js";
import type { Batch } from "./batch.js";

/** The reader's changes to one call of a table. */
export interface RowEdit {
  /** All arguments with the changes applied. */
  input: unknown;
  /** The number of changed arguments. */
  changes: number;
  /** Why it cannot be approved like this, by field path; `""` for the edit as a whole. */
  problems: Readonly<Record<string, string>>;
  /** Whether the server is checking it. */
  isChecking: boolean;
}

/** What the reader has typed for a call, or `undefined` if that changes nothing. The server has not checked it. */
export function readRow(approval: Approval, draft: EditDraft): RowEdit | undefined {
  const fields = fieldsOf(approval);
  if (!mayEdit(approval, fields)) return undefined;
  const { changes, problems } = readDraft(fields, draft);
  if (changes.length + Object.keys(problems).length === 0) return undefined;
  const input = editedInput(approval.input, changes);
  return { input, changes: changes.length, problems, isChecking: false };
}

/** Whether nothing is wrong with an edit, as far as it was checked. */
export function isFine({ problems }: RowEdit): boolean {
  return Object.keys(problems).length === 0;
}

/** What is wrong with an edit, as one text. */
export function problemText({ problems }: RowEdit, { names }: Pick<Approval, "names">): string {
  return Object.entries(problems)
    .map(([path, problem]) => (path === "" ? problem : `${fieldLabel(path.split("."), names)}: ${problem}`))
    .join(" · ");
}

/** The argument that is edited in the cell with these keys, or why none can be. */
export function editorOf(approval: Approval, keys: readonly string[]): ArgumentField | string {
  const { decided, notYours, nothingOpen, absent, hidden, notOpen } = words.batch.locked;
  if (approval.status !== "pending" || approval.held) return decided;
  if (!approval.mayDecide) return notYours;
  const fields = fieldsOf(approval);
  if (!(approval.yourDecisions ?? approval.decisions).includes("edit")) return nothingOpen;
  const field = fields.find((each) => each.keys.every((key, at) => key === keys[at]));
  if (!field) return absent;
  if (field.hidden) return hidden;
  return isOpen(field) ? field : notOpen;
}

/** A place in a table. */
export interface CellPlace {
  id: string;
  column: string;
}

/** Where the arguments of tables can be edited, in the order of reading. An argument with several cells is edited in the first. */
export function editablePlaces(batches: readonly Batch[]): CellPlace[] {
  return batches.flatMap(({ approvals, columns }) =>
    approvals.flatMap((approval) => {
      const found = new Map<string, CellPlace>();
      for (const { id: column, keys } of columns) {
        const field = editorOf(approval, keys);
        if (typeof field !== "string" && !found.has(field.path)) {
          found.set(field.path, { id: approval.id, column });
        }
      }
      return [...found.values()];
    }),
  );
}

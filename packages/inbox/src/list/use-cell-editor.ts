import { type Dispatch, type SetStateAction, useCallback, useEffect, useState } from "react";
import { emptyDraft, useInbox } from "../data/inbox/inbox-context.js";
import type { ArgumentField } from "../logic/arguments/argument-fields.js";
import type { Batch } from "../logic/lists/batch.js";
import { type CellPlace, editablePlaces, editorOf } from "../logic/lists/batch-edits.js";
import { words } from "../words/words.js";

/** The editor of one cell at a time. What is typed goes into the call's draft. */
export interface CellEditor {
  /** The cell that is being edited. */
  open: CellPlace | undefined;
  /** The cell whose editor was last asked for in vain, with why. */
  refused: (CellPlace & { why: string }) | undefined;
  /** Opens the editor of a cell, or says why that cannot be edited. Without a column: of the first that can be. */
  start: (id: string, column: string | undefined) => void;
  /** Changes the text of the open cell; `undefined` takes back all that was typed for its argument. */
  type: (path: string, text: string | undefined) => void;
  /** Closes the editor of a cell and keeps what was typed. */
  keep: (place: CellPlace) => void;
  /** Closes the editor with the text that its cell had before. */
  giveBack: () => void;
  /** Keeps what was typed and opens the next cell that can be edited, or the one before. Returns whether there is one. */
  next: (backwards: boolean) => boolean;
}

/** The cell that is being edited. */
export interface OpenCell extends CellPlace {
  path: string;
  /** What had been typed for it before. */
  before: string | undefined;
}

/** The editor of the cells of some tables. The second argument is the state of the open one. */
export function useCellEditor(
  batches: readonly Batch[],
  [wanted, setOpen]: [OpenCell | undefined, Dispatch<SetStateAction<OpenCell | undefined>>],
): CellEditor {
  const { drafts } = useInbox();
  const [refused, setRefused] = useState<CellEditor["refused"]>();
  const setText = (id: string, path: string, text: string | undefined) =>
    drafts.set((all) => {
      const draft = all.get(id) ?? emptyDraft;
      const { [path]: _before, ...others } = draft.fields;
      return new Map(all).set(id, {
        ...draft,
        fields: text === undefined ? others : { ...others, [path]: text },
      });
    });
  const there = wanted && (fieldAt(batches, wanted.id, wanted.column) ?? words.batch.locked.gone);
  /** Why the open editor has gone, such as a decision of somebody else. */
  const whyLost = typeof there === "string" ? there : undefined;
  const open = whyLost === undefined ? wanted : undefined;
  useEffect(() => {
    // The call may be open again later, but its editor must not come back by itself.
    if (whyLost === undefined || !wanted) return;
    setRefused({ id: wanted.id, column: wanted.column, why: whyLost });
    setOpen(undefined);
  }, [wanted, whyLost, setOpen]);
  const start = (id: string, place: string | undefined) => {
    const column = place ?? editablePlaces(batches).find((each) => each.id === id)?.column;
    const field = fieldAt(batches, id, column);
    if (field === undefined) return;
    if (typeof field === "string") setRefused({ id, column: column ?? "", why: field });
    else {
      setRefused(undefined);
      const before = drafts.get().get(id)?.fields[field.path];
      setOpen({ id, column: column ?? "", path: field.path, before });
    }
  };
  const keep = useCallback(
    ({ id, column }: CellPlace) =>
      setOpen((now) => (now?.id === id && now.column === column ? undefined : now)),
    [setOpen],
  );
  return {
    open,
    refused,
    start,
    type: (path, text) => open && setText(open.id, path, text),
    keep,
    giveBack() {
      if (!open) return;
      setText(open.id, open.path, open.before);
      setOpen(undefined);
    },
    next(backwards) {
      const places = editablePlaces(batches);
      const at = places.findIndex(({ id, column }) => id === open?.id && column === open.column);
      const place = at < 0 ? undefined : places[at + (backwards ? -1 : 1)];
      if (place) start(place.id, place.column);
      else setOpen(undefined);
      return place !== undefined;
    },
  };
}

/** The argument that is edited in a cell, or why none can be; `undefined` without such a call. */
function fieldAt(
  batches: readonly Batch[],
  id: string,
  column: string | undefined,
): ArgumentField | string | undefined {
  const batch = batches.find(({ approvals }) => approvals.some((each) => each.id === id));
  const approval = batch?.approvals.find((each) => each.id === id);
  const { keys } = batch?.columns.find((each) => each.id === column) ?? {};
  if (!approval) return undefined;
  return keys ? editorOf(approval, keys) : words.batch.locked.noneOpen;
}

import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Approval } from "../api/approval.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { editCheckQuery, problemsOf } from "../decide/use-edit-check.js";
import { isFine, type RowEdit, readRow } from "../logic/lists/batch-edits.js";

/**
 * The reader's unsent changes to some calls, by id. The server checks each as it is kept: one whose cell is still open is not
 * checked yet.
 */
export function useBatchEdits(
  approvals: readonly Approval[],
  openId: string | undefined,
): ReadonlyMap<string, RowEdit> {
  const { api, drafts } = useInbox();
  const typed = useValue(drafts);
  const rows = useMemo(
    () =>
      approvals.flatMap((approval) => {
        const draft = typed.get(approval.id);
        const edit = draft && readRow(approval, draft.fields);
        return edit ? [{ id: approval.id, edit, canCheck: isFine(edit) && edit.changes > 0 }] : [];
      }),
    [approvals, typed],
  );
  const checks = useQueries({
    queries: rows.map(({ id, edit, canCheck }) => ({
      ...editCheckQuery(api, id, JSON.stringify(edit.input)),
      enabled: canCheck && id !== openId,
    })),
    combine: (results) => results.map(({ data, isFetching }) => ({ data, isFetching })),
  });
  return useMemo(
    () =>
      new Map(
        rows.map(({ id, edit, canCheck }, at) => {
          const check = canCheck && id !== openId ? checks[at] : undefined;
          const isChecking = check !== undefined && (check.isFetching || check.data === undefined);
          return [id, { ...edit, isChecking, problems: { ...problemsOf(check?.data), ...edit.problems } }];
        }),
      ),
    [rows, checks, openId],
  );
}

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Approval } from "../../api/approval.js";
import type { LatestUndo } from "../../logic/undo/undo-phase.js";
import { isRefusal } from "../inbox/create-query-client.js";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { approvalQuery } from "./use-approval.js";

/** The latest undo of a call, kept current. */
export function useLatestUndo({ id, undo }: Pick<Approval, "id" | "undo">): LatestUndo {
  const client = useQueryClient();
  const undoId = undo?.undoId ?? null;
  const { data, error } = useQuery({
    ...approvalQuery(useInbox(), undoId ?? ""),
    enabled: undoId !== null,
  });
  const hasEnded = data?.status === "executed" || (data?.resolution ?? null) !== null;
  const isStale = hasEnded && undo?.undoneAt === null;
  useEffect(() => {
    if (isStale) void client.invalidateQueries({ queryKey: keys.approval(id) });
  }, [client, id, isStale]);
  return isRefusal(error) ? "hidden" : undoId === null ? undefined : data;
}

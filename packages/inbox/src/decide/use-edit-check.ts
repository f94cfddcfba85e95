import { queryOptions, useQuery } from "@tanstack/react-query";
import { ApprovalsApiError, type ApprovalsClient } from "countersign/client";
import { useEffect, useState } from "react";
import type { EditCheck } from "../api/records.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { editRefusalText } from "../logic/wording/edit-refusal.js";

/** Pause in typing before the edit is checked, in milliseconds. */
const pauseMs = 300;

/** Asks the server whether an edit is valid, without deciding anything. */
export function useEditCheck(id: string, input: unknown, valid: boolean) {
  const { api } = useInbox();
  const text = JSON.stringify(input) ?? "";
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, isFetching } = useQuery({
    ...editCheckQuery(api, id, settled),
    enabled: valid && settled === text,
  });
  const current = valid && settled === text ? data : undefined;
  return {
    checking: valid && (settled !== text || isFetching),
    problems: problemsOf(current),
  };
}

/** Asks the server whether a call may be approved with other arguments, given as JSON. */
function editCheckQuery(api: Pick<ApprovalsClient, "checkEdit">, id: string, json: string) {
  return queryOptions({
    queryKey: ["check", id, json],
    staleTime: 60_000,
    retry: false,
    queryFn: async (): Promise<EditCheck> => {
      try {
        const edited: unknown = JSON.parse(json);
        return await api.checkEdit({ id, body: { input: edited } });
      } catch (error) {
        return refusal(error);
      }
    },
  });
}

/** What is wrong with an edit, by field path; `""` for the edit as a whole. */
function problemsOf(check: EditCheck | undefined): Record<string, string> {
  return check && !check.ok ? byField(check.errors) : {};
}

/** The errors in a refusal. Other failures do not block the edit; the decision itself is checked again. */
function refusal(error: unknown): EditCheck {
  if (error instanceof ApprovalsApiError && error.code === "edit_not_allowed") {
    return { ok: false, code: error.code, errors: [{ field: "", message: editRefusalText(error) }] };
  }
  if (error instanceof ApprovalsApiError && error.problem.errors) {
    return { ok: false, code: error.code, errors: error.problem.errors };
  }
  return { ok: true, changes: [] };
}

function byField(errors: readonly { field: string; message: string }[]): Record<string, string> {
  return Object.fromEntries(
    errors.map(({ field, message }) => [field.replace(/^input\.?/, ""), sentence(message)]),
  );
}

function sentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}

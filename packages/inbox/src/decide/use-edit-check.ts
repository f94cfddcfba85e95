import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiError } from "../api/api-error.js";
import type { EditCheck } from "../api/approval.js";
import { useInbox } from "../data/inbox-context.js";

/** How long somebody must have stopped typing before the server is asked, in milliseconds. */
const pauseMs = 300;

/** Asks the server whether an edit would do, without deciding anything. What it does not know, it does not object to. */
export function useEditCheck(id: string, input: unknown, sound: boolean) {
  const { api } = useInbox();
  const text = JSON.stringify(input) ?? "";
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, isFetching } = useQuery({
    queryKey: ["check", id, settled],
    enabled: sound && settled === text,
    staleTime: 60_000,
    retry: false,
    queryFn: async (): Promise<EditCheck> => {
      try {
        const edited: unknown = JSON.parse(settled);
        return await api.send<EditCheck>("POST", `/approvals/${encodeURIComponent(id)}/check`, {
          input: edited,
        });
      } catch (error) {
        return refusal(error);
      }
    },
  });
  const current = sound && settled === text ? data : undefined;
  return {
    checking: sound && (settled !== text || isFetching),
    problems: current && !current.ok ? byField(current.errors) : {},
  };
}

/** A refusal of the edit is an answer too; an API that knows no such question has no objection. */
function refusal(error: unknown): EditCheck {
  if (error instanceof ApiError && error.code === "edit_not_allowed") {
    return { ok: false, errors: [{ field: "", message: error.problem.detail }] };
  }
  if (error instanceof ApiError && error.problem.errors) return { ok: false, errors: error.problem.errors };
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

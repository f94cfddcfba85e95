import { z } from "zod";
import { setting } from "./serve.js";

/** Reports to the ledger, which is never killed and keeps every report. */
export async function tellLedger(what: "starts" | "runs" | "failed-previews", note: object): Promise<void> {
  await post(what, note);
}

const undoAnswer = z.object({ fails: z.boolean() });

/** Reports the start of an undo. The answer says whether it should fail. */
export async function tellUndo(note: object): Promise<{ fails: boolean }> {
  return undoAnswer.parse(await (await post("undos", note)).json());
}

const world = z.object({ version: z.int() });

/** The version of the world that a call would change. Asking changes nothing, and the ledger keeps that it was asked. */
export async function readWorld(about: object, signal: AbortSignal): Promise<number> {
  const response = await post("previews", about, signal);
  return world.parse(await response.json()).version;
}

async function post(path: string, note: object, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(`${setting("LEDGER_URL")}/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(note),
    ...(signal && { signal }),
  });
  if (!response.ok) throw new Error(`The ledger answered ${response.status}`);
  return response;
}

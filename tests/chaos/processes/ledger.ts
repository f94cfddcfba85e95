import { setting } from "./serve.js";

/** Reports to the ledger, which is never killed and keeps every report. */
export async function tellLedger(what: "starts" | "runs", note: object): Promise<void> {
  const response = await fetch(`${setting("LEDGER_URL")}/${what}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(note),
  });
  if (!response.ok) throw new Error(`The ledger answered ${response.status}`);
}

import { setting } from "./serve.js";

/** Tells the ledger, which is never killed and remembers what it was told. */
export async function tellLedger(what: "starts" | "runs", note: object): Promise<void> {
  const response = await fetch(`${setting("LEDGER_URL")}/${what}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(note),
  });
  if (!response.ok) throw new Error(`The ledger answered ${response.status}`);
}

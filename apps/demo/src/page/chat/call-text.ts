import type { ChatApproval } from "@countersign/chat/ai-sdk";

export interface CallWords {
  text: string;
  tone: "waiting" | "good" | "bad" | "neutral";
}

/** The state of a gated call in one or two sentences. */
export function callText({ status, decidedBy, approvalsNeeded, editedInput, undo }: ChatApproval): CallWords {
  if (undo?.undoneAt) return { text: "It ran once, and was undone.", tone: "neutral" };
  const who = decidedBy === null ? null : nameOf(decidedBy);
  const approved = editedInput === null ? `${who} approved.` : `${who} approved it with changes.`;
  switch (status) {
    case "proposed":
      return { text: "The policy is checking this call.", tone: "waiting" };
    case "pending":
      return {
        text: approvalsNeeded > 1 ? `Waiting for ${approvalsNeeded} people.` : "Waiting for a person.",
        tone: "waiting",
      };
    case "approved":
      return {
        text: who ? `${approved} It runs when the agent goes on.` : "It runs when the agent goes on.",
        tone: "waiting",
      };
    case "executing":
      return { text: who ? `${approved} It runs now.` : "It runs now.", tone: "waiting" };
    case "executed":
      return { text: who ? `${approved} It ran once.` : "It ran. People were notified.", tone: "good" };
    case "responded":
      return { text: who ? `${who} answered.` : "Answered.", tone: "good" };
    case "denied":
      return {
        text: who ? `${who} denied this. It did not run.` : "The policy forbids this. It did not run.",
        tone: "bad",
      };
    case "expired":
      return { text: "Nobody decided in time. It did not run.", tone: "bad" };
    case "withdrawn":
      return { text: "This was withdrawn. It did not run.", tone: "neutral" };
    case "failed":
      return { text: who ? `${approved} The tool failed.` : "The tool failed.", tone: "bad" };
    case "interrupted":
      return { text: "The call was interrupted. It may or may not have run.", tone: "bad" };
  }
}

/** Who can decide: "Admin, Finance or Lead". */
export function approversText({ roles, ids }: ChatApproval["approvers"]): string {
  const names = [...roles, ...ids].map(nameOf);
  if (names.length === 0) return "Anyone who is signed in";
  if (names.length === 1) return names[0] ?? "";
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/** The time left, such as "29 min". */
export function timeLeft(ms: number): string {
  if (ms <= 0) return "time is up";
  if (ms < 60_000) return `${Math.ceil(ms / 1000)} s left`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 120 ? `${minutes} min left` : `${Math.floor(minutes / 60)} h left`;
}

function nameOf(id: string): string {
  return id.charAt(0).toUpperCase() + id.slice(1);
}

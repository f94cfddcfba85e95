import type postgres from "postgres";
import type { BoardMessage, Journal } from "../journal.js";
import { rowsIfReachable } from "../rows-if-reachable.js";
import type { CardView } from "../scenario/channels.js";

/** Checks that no process sends a message while another one that sends the same still waits for its answer (I11). */
export function judgeOnlySender(journal: Journal, approvalId: string | undefined): void {
  journal.violate({
    name: "sent-by-two-at-once",
    invariant: "I11",
    message: `Two processes send the same message about ${approvalId} at once`,
    approvalId,
  });
}

/** Checks that each message at a channel reports something that has happened (I11). */
export async function judgeMessage(sql: postgres.Sql, journal: Journal, card: CardView): Promise<void> {
  const { approvalId, status, open } = card;
  const [row] = await rowsIfReachable(sql`select status from countersign.approvals where id = ${approvalId}`);
  if (!row) return;
  const isOpen = row.status === "proposed" || row.status === "pending";
  if (row.status !== "proposed" && !(isOpen && !open)) return;
  journal.violate({
    name: "told-what-is-not",
    invariant: "I11",
    message: `A message says that ${approvalId} is ${status}, and it is ${row.status}`,
    approvalId,
  });
}

export const judgeBoard = {
  /** Checks that each recipient has one message per call (I11). */
  created(journal: Journal, recipient: string, card: CardView): void {
    const { approvalId } = card;
    const earlier = journal.board.some(
      (message) => message.recipient === recipient && message.card.approvalId === approvalId,
    );
    if (!earlier) return;
    journal.violate({
      name: "announced-twice",
      invariant: "I11",
      message: `${recipient} got a second message about ${approvalId}, though the board can change the first`,
      approvalId,
    });
  },
  /** Checks that a message is never replaced by older content (I12). */
  changed(journal: Journal, { card: shown }: BoardMessage, card: CardView): void {
    if (card.version >= shown.version && (shown.open || !card.open)) return;
    journal.violate({
      name: "older-over-newer",
      invariant: "I12",
      message: `A message about ${card.approvalId} showed ${shown.status} (version ${shown.version}) and was changed to ${card.status} (version ${card.version})`,
      approvalId: card.approvalId,
    });
  },
};

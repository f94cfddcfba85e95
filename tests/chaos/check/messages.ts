import type { Journal } from "../journal.js";
import { hears, members } from "../scenario/channels.js";
import { tools } from "../scenario/tools.js";
import type { ApprovalRow, AuditRow, DeliveryRow, Rows } from "./rows.js";

/** The events that channels must report, by type of audit entry. */
const reported: Record<string, string> = {
  "approval.announced": "approval.pending",
  "approval.voted": "approval.voted",
  "approval.approved": "approval.decided",
  "approval.edited": "approval.decided",
  "approval.denied": "approval.decided",
  "approval.responded": "approval.decided",
  "approval.notified": "approval.decided",
  "approval.expired": "approval.expired",
  "approval.withdrawn": "approval.withdrawn",
  "approval.executing": "approval.started",
  "approval.executed": "approval.finished",
  "approval.failed": "approval.finished",
  "approval.interrupted": "approval.finished",
};

/** Compares the final messages of the channels with the final states of the calls. */
export function judgeMessages(journal: Journal, rows: Rows): void {
  const approvals = new Map(rows.approvals.map((approval) => [approval.id, approval]));
  for (const { recipient, card } of journal.board) {
    const status = approvals.get(card.approvalId)?.status;
    if (card.status === status && !card.open) continue;
    journal.violate({
      name: "outdated-message",
      invariant: "I12",
      message: `The message of ${recipient} about ${card.approvalId} shows ${card.status}${card.open ? " with buttons" : ""}, and the call is ${status}`,
      approvalId: card.approvalId,
    });
  }
  for (const { id, approval_id: approvalId, channel } of rows.deliveries.filter(
    ({ state }) => state === "failed",
  )) {
    journal.violate({
      name: "gave-up",
      invariant: "I11",
      message: `The delivery ${id} to the ${channel} was given up, though the ${channel} came back`,
      approvalId,
    });
  }
  for (const approval of rows.approvals) {
    const its = rows.audit.filter((entry) => entry.approval_id === approval.id);
    // A call that ended before its announcement causes no messages.
    if (!its.some(({ type }) => type === "approval.announced" || type === "approval.notified")) continue;
    const deliveries = rows.deliveries.filter(({ approval_id }) => approval_id === approval.id);
    judgeBoard(journal, approval, deliveries);
    judgeFeed(journal, approval, its, deliveries);
  }
}

function violation(journal: Journal, { id, input_json, tool_name }: ApprovalRow) {
  return (name: string, message: string) =>
    journal.violate({
      name,
      invariant: "I11",
      message: `${id} (${input_json.ref}, ${tool_name}): ${message}`,
      approvalId: id,
      ref: input_json.ref,
    });
}

/** Checks that a call without a message had ended before one could be sent. */
function judgeBoard(journal: Journal, approval: ApprovalRow, deliveries: readonly DeliveryRow[]): void {
  if (!hears("board", approval.tool_name)) return;
  const violate = violation(journal, approval);
  const ofBoard = deliveries.filter(({ channel }) => channel === "board");
  const announced = ofBoard.some(
    ({ event, recipient_id }) => recipient_id === null && event === "approval.pending",
  );
  if (!announced) violate("unannounced", "the board was never to hear that it was pending");
  for (const recipient of recipientsOf(approval)) {
    const has = journal.board.some(
      (message) => message.card.approvalId === approval.id && message.recipient === recipient,
    );
    const delivery = ofBoard.find(({ recipient_id }) => recipient_id === recipient);
    if (!has && delivery?.state === "sent") violate("unannounced", `${recipient} has no message about it`);
  }
}

function recipientsOf({ tool_name: tool }: ApprovalRow): string[] {
  return tools[tool].notify.flatMap((entry) => members[entry.split(":")[1] ?? ""] ?? []);
}

/** Checks that the feed got each transition and nothing else, and pending calls only while they were pending. */
function judgeFeed(
  journal: Journal,
  approval: ApprovalRow,
  audit: readonly AuditRow[],
  deliveries: readonly DeliveryRow[],
): void {
  if (!hears("feed", approval.tool_name)) return;
  const violate = violation(journal, approval);
  const happened = audit.flatMap(({ type }) => reported[type] ?? []);
  const heard = journal.feed.filter(({ card }) => card.approvalId === approval.id);
  for (const event of new Set([...happened, ...heard.map((message) => message.event)])) {
    const times = happened.filter((each) => each === event).length;
    const messages = new Set(
      heard.flatMap((message) => (message.event === event ? [message.messageId] : [])),
    );
    if (messages.size > times) {
      violate(
        "told-what-is-not",
        `the feed heard of ${messages.size} times ${event}, and there were ${times}`,
      );
    }
    const over =
      event === "approval.pending" &&
      deliveries.some((row) => row.channel === "feed" && row.event === event && row.state !== "due");
    if (messages.size < times && !over) {
      violate("unannounced", `the feed heard of ${messages.size} of ${times} times ${event}`);
    }
  }
}

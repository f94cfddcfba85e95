import { isApproval, isApproving, type Journal, type Sent, type Start } from "../journal.js";
import { accountLimit, tools } from "../scenario/tools.js";

/** The journal's counter of calls under a limit that started without an approval. */
export const accountsCharged = "calls within a limit that nobody was asked about";

/** Judges a handler's start at once, as far as that needs no database. */
export function judgeStart(journal: Journal, start: Start): void {
  const { tool, input, approvalId, idempotencyKey } = start;
  const { kind, gate } = tools[tool];
  const about = { approvalId: approvalId ?? undefined, ref: input.ref };
  const violate = (name: string, invariant: string, message: string) =>
    journal.violate({ name, invariant, message, ...about });

  const call = journal.calls.get(input.ref);
  if (!call || call.tool !== tool) {
    violate(
      "ran-something-else",
      "I5",
      `${tool} ran with the reference ${input.ref}, which nobody proposed for it`,
    );
    return;
  }
  // A call that the policy of the moment allowed has no approval. The end shows whether somebody was asked about it.
  if (gate === "none" || (gate === "changing" && approvalId === null)) {
    judgeInput(journal, start);
    return;
  }
  if (approvalId === null) {
    violate("ran-without-approval", "I1", `${tool} ran for ${input.ref} under no approval`);
    return;
  }
  if (gate === "forbidden" || gate === "manual") {
    violate("ran-what-never-runs", "I1", `${tool} ran for ${input.ref}, and its policy says ${gate}`);
  }
  if (idempotencyKey !== approvalId) {
    violate("wrong-key", "I2", `${input.ref} started with the key ${idempotencyKey} under ${approvalId}`);
  }
  const before = journal.starts.filter((other) => other !== start && other.approvalId === approvalId);
  if (kind === "once" && before.length > 0) {
    violate(
      "started-twice",
      "I2",
      `${tool} started ${before.length + 1} times under ${approvalId} (${input.ref})`,
    );
  }
  const sameRef = journal.starts.find(
    (other) => other.input.ref === input.ref && other.approvalId !== approvalId,
  );
  if (sameRef) {
    violate("two-approvals", "I2", `${input.ref} ran under ${approvalId} and under ${sameRef.approvalId}`);
  }
  judgeInput(journal, start);
  if (gate === "notify") return;
  if (gate === "limited" && !journal.sentFor(approvalId).some(isApproval)) {
    judgeAccount(journal, start);
    return;
  }
  // Under a grant, nobody is asked. Its budget is judged with its row.
  if (gate === "granted" && !journal.sentFor(approvalId).some(isApproval)) return;
  judgeDecided(journal, start, gate === "two people" ? 2 : 1);
  judgeHeld(journal, start);
  judgeWorld(journal, start);
}

/** Checks that an approved call starts only after its preview was asked again, and in the world that people saw (I21). */
function judgeWorld(journal: Journal, { approvalId, input, tool }: Start): void {
  const shown = approvalId === null ? undefined : journal.shown.get(approvalId);
  if (!shown?.previewed) return;
  const { call } = shown;
  const about = { invariant: "I21", approvalId: shown.approvalId, ref: input.ref };
  if (journal.isOtherWorld(shown.approvalId)) {
    const message = `${tool} started for ${input.ref}, whose world was changed before anybody approved it`;
    journal.violate({ name: "ran-in-another-world", message, ...about });
  }
  for (const amount of new Set([call.input.amount, input.amount])) {
    const asked = journal.previews.some(
      (each) => each.moment === "start" && each.approvalId === approvalId && each.amount === amount,
    );
    if (asked) continue;
    const message = `${tool} started for ${input.ref}, and its preview was not asked again for the amount ${amount}`;
    journal.violate({ name: "started-without-a-preview", message, ...about });
  }
}

/** Checks that what started for an account without anybody's approval does not exceed its limit (I22). */
function judgeAccount(journal: Journal, { tool, input, approvalId }: Start): void {
  const { account, ref } = input;
  const unasked = journal.starts.filter(
    (other) =>
      other.tool === tool &&
      other.input.account === account &&
      !journal.sentFor(String(other.approvalId)).some(isApproval),
  );
  const spent = unasked.reduce((sum, other) => sum + other.input.amount, 0);
  journal.count(accountsCharged);
  if (spent <= accountLimit) return;
  journal.violate({
    name: "limit-exceeded",
    invariant: "I22",
    message: `${ref} started without anybody's approval, with ${spent} in all for ${account}, whose limit is ${accountLimit}`,
    approvalId: approvalId ?? undefined,
    ref,
  });
}

/** A call cannot have been approved if no person has sent an approval of it. */
function judgeDecided(journal: Journal, { approvalId, input }: Start, needed: number): void {
  if (approvalId === null) return;
  const approving = journal.sentFor(approvalId).filter(isApproving);
  const approvers = new Set(approving.map(({ move }) => move.who)).size;
  if (approvers < needed) {
    journal.violate({
      name: "ran-undecided",
      invariant: "I1",
      message: `${input.ref} ran when ${approvers} of ${needed} people had approved it`,
      approvalId,
      ref: input.ref,
    });
  }
}

/** A decision takes effect when the time is over for which its person has asked. */
function judgeHeld(journal: Journal, { approvalId, input, at }: Start): void {
  if (approvalId === null) return;
  const approving = journal.sentFor(approvalId).filter((sent) => isApproving(sent) && !isRefused(sent));
  const isDue = approving.length === 0 || approving.some((sent) => sent.at + sent.move.holdMs <= at);
  if (isDue) return;
  journal.violate({
    name: "started-while-held",
    invariant: "I1",
    message: `${input.ref} started while its approval was held`,
    approvalId,
    ref: input.ref,
  });
}

/** Whether the answer has come, and says that the decision does not count. */
function isRefused({ status }: Sent): boolean {
  return status !== undefined && status !== 200;
}

/** Checks that the arguments are those proposed, or those of an edit that a person sent. */
function judgeInput(journal: Journal, { input, approvalId }: Start): void {
  const call = journal.calls.get(input.ref);
  if (!call) return;
  const edits =
    approvalId === null
      ? []
      : journal.sentFor(approvalId).filter((sent) => sent.move.type === "edit" && isApproving(sent));
  const amounts = [call.input.amount, ...edits.map(({ move }) => move.amount)];
  if (amounts.includes(input.amount) && input.fails === call.input.fails) return;
  journal.violate({
    name: "ran-something-else",
    invariant: "I5",
    message: `${input.ref} ran with the amount ${input.amount}; proposed or approved was ${amounts.join(" or ")}`,
    approvalId: approvalId ?? undefined,
    ref: input.ref,
  });
}

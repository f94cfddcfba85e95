import type { Journal, Start } from "../journal.js";
import { type ToolInput, tools } from "../scenario/tools.js";
import { lostFromHistory } from "../world/engine-view.js";
import { judgeAudit } from "./audit.js";
import { judgeBudgets } from "./budgets.js";
import { canonical } from "./canonical.js";
import { judgeDecision } from "./decisions.js";
import { judgeMessages } from "./messages.js";
import { judgeTold } from "./results-told.js";
import type { ApprovalRow, Rows } from "./rows.js";
import { judgeUndos } from "./undos.js";
import { judgeWaits } from "./waits.js";

/** Checks everything that must hold at the end. It knows the invariants, and nothing of how the product keeps them. */
export function judgeEnd(journal: Journal, rows: Rows): void {
  for (const approval of rows.approvals) {
    judgeEffects(journal, approval);
    judgeDigest(journal, approval);
    judgeDecision(journal, approval, rows.audit);
  }
  judgeStarts(journal, rows);
  judgeUndos(journal, rows);
  judgeBudgets(journal, rows);
  judgeAllowed(journal, rows);
  judgeRuns(journal, rows);
  judgeTold(journal, rows);
  judgeAudit(journal, rows.audit);
  judgeMessages(journal, rows);
  judgeWaits(journal);
}

const terminal = ["denied", "responded", "expired", "withdrawn", "executed", "failed", "interrupted"];

function violation(journal: Journal, approval: ApprovalRow) {
  return (name: string, invariant: string, message: string) =>
    journal.violate({
      name,
      invariant,
      message: `${approval.id} (${approval.input_json.ref}, ${approval.tool_name}): ${message}`,
      approvalId: approval.id,
      ref: approval.input_json.ref,
      runId: approval.run_id,
    });
}

/** Compares the effects of each call with the final state of its approval. */
function judgeEffects(journal: Journal, approval: ApprovalRow): void {
  const { status, tool_name: tool } = approval;
  const violate = violation(journal, approval);
  const starts = journal.starts.filter(({ approvalId }) => approvalId === approval.id);
  if (!terminal.includes(status)) violate("not-terminal", "I4", `ended as ${status}`);
  if (["denied", "responded", "expired", "withdrawn"].includes(status) && starts.length > 0) {
    violate("ran-what-was-refused", "I1", `is ${status} and started ${starts.length} times`);
  }
  if (status === "executed" && starts.length === 0)
    violate("never-ran", "I2", "is executed and never started");
  const mayFail = approval.input_json.fails || tampered(approval);
  if (status === "failed" && (!mayFail || starts.length === 0)) {
    violate("failed-by-itself", "I2", `failed after ${starts.length} starts, and its tool does not fail`);
  }
  if (tools[tool].kind === "once" && starts.length > 1) {
    violate("started-twice", "I2", `started ${starts.length} times`);
  }
  const run = journal.calls.get(approval.input_json.ref)?.run;
  const goesOn = run === undefined || !journal.cancelled.has(run);
  if (tools[tool].kind === "idempotent" && status === "interrupted" && goesOn) {
    violate("not-run-again", "I2", "was cut off, and its tool may run again");
  }
  for (const start of starts) judgeInput(approval, start, violate);
  // A call that was claimed and cut off before its handler may not have started.
  const isClaimed = ["executing", "executed", "failed", "interrupted"].includes(status);
  if (isClaimed && journal.isOtherWorld(approval.id)) {
    violate(
      "ran-in-another-world",
      "I21",
      `is ${status}, and its world was changed before anybody approved it`,
    );
  }
}

/** Checks that the arguments that ran were approved: as proposed, or as the decider edited them. */
function judgeInput(approval: ApprovalRow, { input }: Start, violate: ReturnType<typeof violation>): void {
  const approved: ToolInput =
    approval.decision_type === "edit" ? (approval.edited_input_json ?? input) : approval.input_json;
  if (canonical(input) !== canonical(approved)) {
    violate(
      "ran-something-else",
      "I5",
      `ran with ${JSON.stringify(input)}, approved was ${JSON.stringify(approved)}`,
    );
  }
}

/** The mark of the adversary. The digest of such a row is wrong, and its call must not have run. */
function tampered({ input_json }: ApprovalRow): boolean {
  return input_json.amount === 999_999;
}

function judgeDigest(journal: Journal, approval: ApprovalRow): void {
  if (tampered(approval)) return;
  const violate = violation(journal, approval);
  const { digests } = approval;
  if (digests.proposed !== approval.digest) violate("wrong-digest", "I5", "has another digest");
  if (approval.edited_input_json && digests.edited !== approval.edited_digest) {
    violate("wrong-digest", "I5", "has another digest for its edit");
  }
  // A call is withdrawn if the policy became stricter, or if its proposal was retried by a process with another policy.
  const allowed = ["run_cancelled", "run_failed", "superseded", "policy_changed"];
  // Two attempts of a proposal judged by different policy files: the one that wrote the call was not the one that counted.
  const unannounced = approval.announced_at === null && tools[approval.tool_name].gate === "changing";
  if (unannounced) allowed.push("run_lost");
  const fails = journal.failedPreviews.some((each) => each.approvalId === approval.id);
  if (fails || journal.changedWorlds.has(approval.id)) allowed.push("effects_changed");
  if (approval.status === "withdrawn" && !allowed.includes(String(approval.withdrawal_cause))) {
    violate(
      "withdrawn-by-itself",
      "I4",
      `was withdrawn for ${approval.withdrawal_cause}, which nothing called for`,
    );
  }
}

/** Checks that each effect belongs to an approval of the same call. */
function judgeStarts(journal: Journal, { approvals }: Rows): void {
  const byId = new Map(approvals.map((approval) => [approval.id, approval]));
  for (const { approvalId, input, tool } of journal.starts) {
    if (approvalId === null) continue;
    const approval = byId.get(approvalId);
    if (approval?.tool_name === tool && approval.input_json.ref === input.ref) continue;
    journal.violate({
      name: "ran-without-approval",
      invariant: "I1",
      message: `${tool} ran for ${input.ref} under ${approvalId}, which is not about it`,
      approvalId,
      ref: input.ref,
    });
  }
}

/** Checks that no call about which people were asked also ran as an allowed one. */
function judgeAllowed(journal: Journal, { approvals, audit }: Rows): void {
  const announced = new Set(
    audit.filter(({ type }) => type === "approval.announced").map(({ approval_id }) => approval_id),
  );
  const ungated = new Set(
    journal.starts.filter(({ approvalId }) => approvalId === null).map(({ input }) => input.ref),
  );
  for (const approval of approvals) {
    if (!announced.has(approval.id) || !ungated.has(approval.input_json.ref)) continue;
    violation(journal, approval)("ran-ungated", "I20", `is ${approval.status} and ran without it`);
  }
}

function judgeRuns(journal: Journal, { runs }: Rows): void {
  for (const plan of journal.runs.values()) {
    const own = runs.filter(({ run }) => run === plan.index);
    const violate = (name: string, message: string) =>
      journal.violate({ name, invariant: "I4", message, runId: own[0]?.id });
    if (own.length !== 1) violate("lost-run", `The message of run ${plan.index} led to ${own.length} runs`);
    for (const { id, status, output } of own) {
      if (status === lostFromHistory) {
        journal.count("runs lost from the engine's history");
        continue;
      }
      const expected = journal.cancelled.has(plan.index) ? ["Completed", "Cancelled"] : ["Completed"];
      if (!expected.includes(status)) {
        violate(
          "run-ended-badly",
          `Run ${plan.index} (${id}) ended as ${status}: ${JSON.stringify(output).slice(0, 500)}`,
        );
      }
    }
  }
}

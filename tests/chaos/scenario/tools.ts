import { allow, ask, deny, manual, notify } from "countersign";
import { z } from "zod";

/**
 * The parameters of every tool. `ref` names the call in the plan; `account` is whose money it is; `fails` makes the handler
 * throw.
 */
export const toolInput = z.object({
  ref: z.string(),
  amount: z.int(),
  account: z.string(),
  fails: z.boolean(),
});

export type ToolInput = z.infer<typeof toolInput>;

interface Tool {
  kind: "once" | "idempotent" | "durable";
  /**
   * `changing`: nobody or a person is asked, depending on the policy file of the moment. `limited`: a person is asked once the
   * calls of an account exceed {@link accountLimit}. `granted`: a person is asked unless a grant has enough of its budget left.
   */
  gate:
    | "none"
    | "notify"
    | "person"
    | "two people"
    | "manual"
    | "forbidden"
    | "changing"
    | "limited"
    | "granted";
  notify: readonly string[];
  decideIn: readonly string[];
}

const inbox: readonly string[] = ["inbox"];
const anywhere: readonly string[] = ["inbox", "board"];

/**
 * The tools as the checker knows them: how the handler is declared, the verdict of a call, which channels are notified,
 * and where people decide.
 */
export const tools = {
  lookup: { kind: "once", gate: "none", notify: [], decideIn: inbox },
  archive: { kind: "once", gate: "notify", notify: ["feed"], decideIn: inbox },
  refund: { kind: "once", gate: "person", notify: ["board:finance"], decideIn: anywhere },
  email: { kind: "idempotent", gate: "person", notify: ["feed"], decideIn: inbox },
  report: { kind: "durable", gate: "person", notify: ["board:finance"], decideIn: inbox },
  payout: { kind: "once", gate: "two people", notify: ["board:leads", "feed"], decideIn: anywhere },
  fleeting: { kind: "once", gate: "person", notify: ["board:finance"], decideIn: anywhere },
  adjust: { kind: "once", gate: "changing", notify: [], decideIn: inbox },
  spend: { kind: "once", gate: "limited", notify: [], decideIn: inbox },
  book: { kind: "once", gate: "notify", notify: [], decideIn: inbox },
  pay: { kind: "once", gate: "granted", notify: [], decideIn: inbox },
  inspect: { kind: "once", gate: "manual", notify: [], decideIn: inbox },
  erase: { kind: "once", gate: "forbidden", notify: [], decideIn: inbox },
} as const satisfies Record<string, Tool>;

export type ToolName = keyof typeof tools;

export const toolNames = Object.keys(tools) as ToolName[];

/** What the preview of a call says when the world of its reference has this version. */
export function effectsAt(ref: string, version: number) {
  return [{ target: `world of ${ref}`, before: `version ${version}`, after: `version ${version + 1}` }];
}

/** Shorter than a run of chaos, so that calls expire while everything else goes on. */
export const fleetingSeconds = 5;

/** The channels' part in a tool's calls. */
function channelTerms(tool: ToolName) {
  const { notify, decideIn } = tools[tool];
  return decideIn === inbox ? { notify: [...notify] } : { notify: [...notify], decideIn: [...decideIn] };
}

/** What the calls of `spend` may amount to for each account before people are asked. */
export const accountLimit = 2000;

/** The budget of every grant for the calls of `pay`. */
export const payBudget = { total: 1500, unit: "EUR" };

/** The only tool with an undo. */
export const undoable: ToolName = "book";

export function isUndo(toolName: string): boolean {
  return toolName === `${undoable}.undo`;
}

/** How many people must approve the undo of a call, the one who asks among them. */
export function undoersNeeded({ amount }: Pick<ToolInput, "amount">): number {
  return amount % 3 === 0 ? 2 : 1;
}

const askedInFile = `verdict: ask
    approvers: { roles: [finance, lead] }
    requesterMayNotApprove: true
    decisions: [approve, edit, deny]
    editable: [amount]
`;

const limited = `  - { tools: spend, verdict: allow }
  - tools: spend
    when: spent("spend", "amount", "24h", "account") > ${accountLimit}
    ${askedInFile}`;

/** The policy files that take turns while the installation runs. They differ only in the verdict about `adjust`. */
export const policyFiles = {
  allowing: `version: 1\nrules:\n  - { tools: adjust, verdict: allow }\n${limited}`,
  asking: `version: 1\nrules:\n  - tools: adjust\n    ${askedInFile}${limited}`,
};

/** The rules in code, which stay as they are. */
export function chaosRules() {
  const who = { approvers: { roles: ["finance", "lead"] }, requesterMayNotApprove: true };
  const terms = { ...who, editable: ["amount"] };
  return {
    tools: {
      lookup: allow(),
      archive: notify(channelTerms("archive")),
      refund: ask({ ...terms, ...channelTerms("refund"), decisions: ["approve", "edit", "deny"] }),
      email: ask({ ...terms, ...channelTerms("email"), decisions: ["approve", "edit", "deny", "respond"] }),
      report: ask({ ...terms, ...channelTerms("report"), decisions: ["approve", "edit", "deny"] }),
      payout: ask({ ...terms, ...channelTerms("payout"), quorum: 2, decisions: ["approve", "deny"] }),
      fleeting: ask({
        ...terms,
        ...channelTerms("fleeting"),
        timeout: `${fleetingSeconds}s`,
        decisions: ["approve", "edit", "deny"],
      }),
      book: notify({ ...channelTerms("book"), reversible: "1h" }),
      "book.undo": ({ input }: { input: Record<string, unknown> }) => {
        const quorum = undoersNeeded({ amount: Number(input.amount) });
        return ask({ approvers: who.approvers, quorum, decisions: ["approve", "deny"] });
      },
      pay: ask({ ...who, ...channelTerms("pay"), grantable: ["team"], decisions: ["approve", "deny"] }),
      inspect: manual({ ...who, decisions: ["respond", "deny"] }),
      erase: deny("Nothing is ever erased"),
    },
  };
}

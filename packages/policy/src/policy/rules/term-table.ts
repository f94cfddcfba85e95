import * as z from "zod";
import { reversibleSchema } from "../../previews/effect-schema.js";
import { type Reversible, strictestReversible } from "../../previews/reversible.js";
import { redactPatternNames } from "../../redaction/redact-patterns.js";
import { mergeChecks, type SafetyCheck, safetyChecksSchema } from "../../safety-checks/safety-check.js";
import { checkedDurationMs } from "../../shared/duration.js";
import { firstCodePlace, highestRisk, inCommon, isLowerRisk, lowestOf, shortest } from "./merging.js";
import {
  type DecisionType,
  decisionTypes,
  type GrantScope,
  grantScopes,
  inboxPlace,
  type Risk,
  risks,
  type VerdictKind,
} from "./rule.js";
import { joinReasons, type RuleReason } from "./rule-reasons.js";
import {
  approversSchema,
  callLabel,
  codePlace,
  duration,
  escalationSteps,
  fieldPath,
  holdTime,
  namesByPath,
  notifyEntry,
  place,
  redactPattern,
  resultTemplate,
  unitsByPath,
} from "./term-schemas.js";

/** The policy's terms that are stored with a call as they are. Fixed when the call is proposed. */
export interface StoredTerms {
  /** The rules that require approval, in rule order, each with its reason and requirements. */
  reasons: RuleReason[];
  /** The template for the sentence about the result, as its rule has it; `null` without one. */
  resultSummary: string | null;
  /** What people read in place of the tool's name, such as "Refund"; `null` without one. */
  label: string | null;
  /** What people read in place of an argument's name, by its path. */
  names: Record<string, string>;
  /** Units of numbers by the path of their argument. */
  units: Record<string, string>;
  /** Number of different people who must approve. */
  quorum: number;
  /** Each approval of the quorum must come from a different approver role. */
  distinctRoles: boolean;
  /** Number of different people who must deny. */
  denials: number;
  /** The requester may deny but not approve. */
  requesterMayNotApprove: boolean;
  /** Decisions that people can make. */
  decisions: DecisionType[];
  /** Fields that an edit may change. */
  editable: string[];
  /** Reminders and escalations while nobody decides, ordered by the time since the announcement. */
  escalation: { afterMs: number; escalateTo: string[] }[];
  /** Number of times an approver may extend the deadline. */
  extensions: number;
  /** Approvers may delegate the decision. */
  delegable: boolean;
  /** The longest time, in milliseconds, for which a decision may be held; 0: decisions take effect at once. */
  holdMs: number;
  /** Scopes for which an approver may create a grant. */
  grantable: GrantScope[];
  /** Fields whose values are hidden from people. */
  redact: string[];
  /** Values hidden in every field: pattern names or regular expressions. */
  redactPatterns: string[];
  /** The tool may run again, with the approval's id as its idempotency key. */
  idempotent: boolean;
  /** Places where people may decide: `inbox`, which includes the API, and names of channels. */
  decideIn: string[];
  /** Whether the call can be taken back, as its rules say; `null` if they do not. Its preview may be stricter. */
  reversible: Reversible | null;
}

/** Complete terms of a request, merged from those of several rules. */
export interface ResolvedTerms extends StoredTerms {
  /** The reasons of all rules as one text. */
  reason: string | null;
  /** Template for the sentence about the call. */
  summary: string | null;
  risk: Risk;
  approvers: { roles: string[]; ids: string[] };
  /** Milliseconds; `null` uses the instance's timeout. */
  timeoutMs: number | null;
  /** Maximum in milliseconds from the thread's rules; also limits the instance's timeout. */
  timeoutAtMostMs: number | null;
  /** Channels to notify about the call, with their targets. */
  notify: string[];
  codePreview: { field: string; object: string } | null;
  /** The least strict verdict of a call without a preview; `null` if no rule sets one. */
  withoutPreview: "ask" | "deny" | null;
  /** The safety checks of all matching rules. */
  checks: SafetyCheck[];
}

/** A term that rules write. The others are derived: the reasons of each rule, and the timeout of a thread's rules. */
export type TermName = Exclude<keyof ResolvedTerms, "reasons" | "timeoutAtMostMs">;

/** All that is known about a term. */
export interface Term<Value, Written = unknown> {
  /** How rules write it. */
  schema: z.ZodType<Written>;
  /** What editors of policy files say about it. */
  about?: string;
  /** Its name in rules, if that is another one. */
  written?: "timeout" | "holdFor";
  /** The rules that count. @default those with the call's verdict, and with `manual` those that ask */
  from?: "verdict" | "matching";
  /** Merges the values of several rules, at least one. The stricter wins. */
  merge(values: readonly Written[]): Value;
  /** If no rule sets it. Digests omit stored terms with this value: with another one, those of pending calls would not match. */
  default: Value;
  /**
   * Whether a thread's rule may set this value: it then adds no decision types, allows no edits, grants or re-runs, neither
   * changes nor hides what approvers see, and sends it nowhere else. @default never
   */
  tightens?(value: Written, verdict: VerdictKind): boolean;
  /** People read it, and it decides nothing. */
  isText?: true;
  /** It matters for calls that nobody decides: what people read, who sees it, and how it runs. */
  unasked?: true;
  /** Stored with every call, or only with the calls of agents' tools: for other calls, the way in says it. */
  stored?: "always" | "with tools";
}

type TermTable = {
  [Name in TermName]: Term<ResolvedTerms[Name]> &
    (Name extends keyof StoredTerms ? { stored: "always" | "with tools" } : { stored?: never });
};

type Steps = z.infer<typeof escalationSteps>;

const always = () => true;
const defaultRisk = "medium";
const holdMsOf = (written: 0 | string) => (written === 0 ? 0 : checkedDurationMs(written));

const flag = {
  merge: (values: readonly boolean[]) => values.includes(true),
  default: false,
} satisfies Partial<Term<boolean>>;

const sentence = {
  from: "verdict",
  merge: (sentences: readonly string[]) => sentences[0] ?? null,
  default: null,
  isText: true,
  unasked: true,
} satisfies Partial<Term<string | null>>;

const byPath = {
  from: "verdict",
  // Of several values for a path, the first.
  merge: (maps: readonly Readonly<Record<string, string>>[]) =>
    Object.fromEntries(maps.toReversed().flatMap((byPath) => Object.entries(byPath))),
  default: {},
  isText: true,
  unasked: true,
} satisfies Partial<Term<Record<string, string>, Readonly<Record<string, string>>>>;

const union = {
  from: "matching",
  merge: (lists: readonly (readonly string[])[]) => [...new Set(lists.flat())].sort(),
  default: [],
  unasked: true,
} satisfies Partial<Term<string[]>>;

export const termTable = {
  reason: {
    schema: z.string().min(1),
    about: "Why the rule exists. People read it; if the rule denies, the model does",
    merge: joinReasons,
    default: null,
    // Approvers would read it as the policy's own. With deny, nobody decides.
    tightens: (_: string, verdict: VerdictKind) => verdict === "deny",
    isText: true,
    unasked: true,
  },
  label: {
    schema: callLabel,
    about:
      "What people read in place of the tool's name, at most 40 characters: `Refund`, `Pay supplier`. Default: that name",
    ...sentence,
    stored: "always",
  },
  names: {
    schema: namesByPath,
    about:
      "What people read in place of arguments' names, by their path: `{ orderId: Order, customer.email: Email }`. Default: those names",
    ...byPath,
    stored: "always",
  },
  summary: {
    schema: z.string().min(1),
    about:
      "One sentence about the call, with `{{field}}` for arguments. Default: the label or the tool, and up to three arguments",
    ...sentence,
  },
  resultSummary: {
    schema: resultTemplate,
    about:
      "One sentence about the result, with `{{result.field}}` for the result and `{{field}}` for arguments. Default: none",
    ...sentence,
    stored: "always",
  },
  units: {
    schema: unitsByPath,
    about:
      "Units by the path of a number, shown behind it: `{ amount: EUR, parcel.weight: kg }`. Default: none",
    ...byPath,
    stored: "always",
  },
  risk: {
    schema: z.enum(risks),
    merge: highestRisk,
    default: defaultRisk,
    tightens: (risk: Risk) => !isLowerRisk(risk, defaultRisk),
    unasked: true,
  },
  approvers: {
    schema: approversSchema,
    merge: (named: readonly z.infer<typeof approversSchema>[]) => ({
      roles: inCommon(named.map(({ roles = [] }) => roles)),
      ids: inCommon(named.map(({ ids = [] }) => ids)),
    }),
    default: { roles: [], ids: [] },
    tightens: always,
    unasked: true,
  },
  quorum: {
    schema: z.int().min(1).max(20),
    about: "How many different people must approve. Default: 1",
    merge: (values: readonly number[]) => Math.max(...values),
    default: 1,
    tightens: always,
    stored: "always",
  },
  distinctRoles: {
    schema: z.boolean(),
    about: "Each approval of the quorum must come from a different approver role",
    ...flag,
    tightens: always,
    stored: "always",
  },
  denials: {
    schema: z.int().min(1).max(20),
    about: "How many different people must deny. Default: 1",
    ...lowestOf<number>(1, Number),
    stored: "always",
  },
  requesterMayNotApprove: {
    schema: z.boolean(),
    about: "The requester may deny but not approve. Calls without a requester are refused",
    ...flag,
    tightens: always,
    stored: "always",
  },
  decisions: {
    schema: z.array(z.enum(decisionTypes)).min(1),
    about:
      "Possible decisions. Default: `approve`, `deny` and, with `editable`, `edit`; for `manual`, `respond` and `deny`",
    from: "verdict",
    merge: inCommon<DecisionType>,
    default: ["approve", "deny"],
    stored: "with tools",
  },
  editable: {
    schema: z.array(fieldPath),
    about: "Paths of the arguments that an edit may change. Default: none, so nobody can edit",
    from: "verdict",
    merge: inCommon<string>,
    default: [],
    stored: "with tools",
  },
  timeoutMs: {
    schema: duration,
    about: "Time to decide, such as `2 hours`: 1 second to 365 days. Default: the app's `timeout`, or `30m`",
    written: "timeout",
    merge: shortest,
    default: null,
    tightens: always,
  },
  escalation: {
    schema: escalationSteps,
    about: "Reminders and escalations while nobody has decided. Default: none",
    merge: (lists: readonly Steps[]) =>
      lists
        .flat()
        .map(({ after, escalateTo = [] }) => ({
          afterMs: checkedDurationMs(after),
          escalateTo: [...escalateTo].sort(),
        }))
        .sort((a, b) => a.afterMs - b.afterMs || (a.escalateTo.join() < b.escalateTo.join() ? -1 : 1)),
    default: [],
    tightens: (steps: Steps) => steps.every(({ escalateTo = [] }) => escalateTo.length === 0),
    stored: "always",
  },
  extensions: {
    schema: z.int().min(0).max(20),
    about: "How often approvers may extend the deadline. Default: 3",
    ...lowestOf<number>(3, Number),
    stored: "always",
  },
  delegable: {
    schema: z.boolean(),
    about: "Approvers may delegate the decision to somebody whom the rule does not name",
    merge: (values: readonly boolean[]) => values.every(Boolean),
    default: false,
    tightens: (delegable: boolean) => !delegable,
    stored: "always",
  },
  holdMs: {
    schema: holdTime,
    about:
      "Longest time, up to `1m`, for which a decision is held so that its person can take it back. Default: `10s`",
    written: "holdFor",
    ...lowestOf(10_000, holdMsOf),
    stored: "always",
  },
  grantable: {
    schema: z.array(z.enum(grantScopes)),
    about: "Scopes of the grants that an approver may give with an approval. Default: none",
    merge: inCommon<GrantScope>,
    default: [],
    stored: "with tools",
  },
  redact: {
    schema: z.array(fieldPath),
    about: "Paths of the arguments that only people with a role in `fullViewRoles` see. Default: none",
    ...union,
    stored: "always",
  },
  redactPatterns: {
    schema: z.array(redactPattern),
    about: `Texts to hide in any argument: ${redactPatternNames.map((name) => `\`${name}\``).join(", ")} or an RE2 regular expression`,
    ...union,
    stored: "always",
  },
  idempotent: {
    schema: z.boolean(),
    about: "The tool may run again after a crash, with the approval's id as its idempotency key",
    from: "verdict",
    ...flag,
    unasked: true,
    stored: "with tools",
  },
  notify: {
    schema: z.array(notifyEntry),
    about: "Channels that report the call, some with a target: `slack:#finance`, `email`. Default: none",
    ...union,
  },
  decideIn: {
    schema: z.array(place).min(1),
    about: "Where people may decide: `inbox`, which includes the API, and channels. Default: `inbox`",
    from: "matching",
    merge: inCommon<string>,
    default: [inboxPlace],
    stored: "always",
  },
  codePreview: {
    schema: codePlace,
    about: "Shows people which tools a script appears to call. Default: none",
    from: "verdict",
    merge: firstCodePlace,
    default: null,
    unasked: true,
  },
  withoutPreview: {
    schema: z.enum(["ask", "deny"]),
    about:
      "The least strict verdict for a call without a preview of its effects. Default: the rule's verdict",
    from: "matching",
    merge: (values: readonly ("ask" | "deny")[]) => (values.includes("deny") ? "deny" : "ask"),
    default: null,
    tightens: always,
    unasked: true,
  },
  reversible: {
    schema: reversibleSchema,
    about:
      "How long people can undo the call after it ran: `true`, a time such as `30m`, or `false`. Default: what its preview says",
    from: "matching",
    merge: strictestReversible,
    default: null,
    tightens: always,
    unasked: true,
    stored: "always",
  },
  checks: {
    schema: safetyChecksSchema,
    from: "matching",
    merge: (lists: readonly (readonly SafetyCheck[])[]) => mergeChecks(lists.flat()),
    default: [],
    tightens: always,
    unasked: true,
  },
} satisfies TermTable;

// Do not import Drizzle here: public declarations include this file.

import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import type { DecisionType } from "@countersign/policy/internal/policy/rules/rule";
import type { ApprovalStatus } from "@countersign/policy/internal/shared/approval-status";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval, ApprovalTerms, PolicyContext } from "../../approval/approval.js";

/** The calls about which people were asked within the last days. */
export interface InsightFilter {
  tenantId: string;
  /** Only what this principal may see: decidable or requested by them. */
  visibleTo?: Principal | undefined;
  days: number;
  /** Only the latest calls, so that the work has a limit. */
  limit: number;
}

/** How people decided the calls of one tool that the same rules asked about. */
export interface RuleInsight {
  toolName: string;
  /** The ids of the rules that gave a reason or added a requirement. In the order of the rules; may be empty. */
  rules: string[];
  /** People were asked about so many calls. Some may still be open, or were withdrawn. */
  asked: number;
  /** Approved by a person, unchanged or with changes. */
  approved: number;
  denied: number;
  /** A person supplied the result instead. */
  answered: number;
  /** Nobody decided in time. */
  expired: number;
  /** From the question to the decision or the expiry; `null` if no call is settled. */
  medianWaitMs: number | null;
  /** Nine of ten calls waited at most this long. */
  p90WaitMs: number | null;
}

/** The decisions and votes of one person. */
export interface ApproverInsight {
  approverId: string;
  decisions: number;
  /** From the question to their own decision. */
  medianWaitMs: number;
}

/** How long calls wait for people, and what people decide. */
export interface Insight {
  /** The number of calls counted. */
  asked: number;
  /** Whether there were more calls, which are not counted. */
  more: boolean;
  rules: RuleInsight[];
  approvers: ApproverInsight[];
}

/** A call that people decided, with what a rule can be learned from. */
export interface DecidedRow {
  id: string;
  toolName: string;
  inputJson: string;
  threadId: string | null;
  policyContext: PolicyContext;
  verdict: Approval["verdict"];
  risk: Approval["risk"];
  terms: Partial<ApprovalTerms>;
  status: ApprovalStatus;
  withdrawalCause: WithdrawalCause | null;
  decisionType: DecisionType;
  decidedAt: Date;
  /** Somebody voted against it. */
  deniedByOne: boolean;
  undoId: string | null;
}

/** The same with the call's sentence, and without long arguments. */
export type ShortDecidedRow = Omit<DecidedRow, "inputJson"> & {
  summary: string;
  /** `null` if they are long. */
  inputJson: string | null;
};

/** What was decided over a time. */
export interface InsightPort {
  readInsight(filter: InsightFilter): Promise<Insight>;
  /** The decided calls of a time, latest first, from which rules can be learned. */
  listDecided(filter: InsightFilter): Promise<ShortDecidedRow[]>;
}

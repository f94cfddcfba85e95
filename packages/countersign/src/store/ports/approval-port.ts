// Do not import Drizzle here: public declarations include this file.

import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import type { CountersignErrorCode } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval, Decision, Resolution } from "../../approval/approval.js";
import type { ApprovalBasis } from "../../approval/approval-basis.js";
import type { NewGrant } from "../../approval/grant.js";
import type { HandlerKind } from "../../approval/handler-kind.js";
import type { EvidenceReader, EvidenceSigner } from "../../evidence/evidence-signer.js";
import type { Stop } from "../../stops/stop.js";
import type { WakeUp } from "./request-port.js";

export interface DecideInput {
  approvalId: string;
  principal: Principal;
  type: Decision["type"];
  digest: string;
  reason: string | null;
  /** JSON text of the tool's result, if `type` is `respond`. */
  responseJson?: string;
  /** Where the person decides: a channel's name. @default "inbox", which includes the API */
  place?: string;
  /** The changed arguments, checked by the caller, if `type` is `edit`. */
  edited?: { inputJson: string; digest: string };
  /** A grant that is given with an `approve`, checked by the caller. */
  grant?: NewGrant;
  /**
   * Milliseconds for which the person may take the decision back, before it takes effect: at most what the call's rules
   * allow. Not for a decision with a grant, nor for a call for which no run waits. @default 0
   */
  holdMs?: number;
  /**
   * The arguments, the answer or the grant were not checked, because somebody had decided already: this may only repeat the
   * decision. It may have been taken back since.
   */
  repeatsOnly?: boolean;
}

export interface TakeBackInput {
  approvalId: string;
  principal: Principal;
}

/** `too_late`: the decision has taken effect. `forbidden` also: somebody else decided. */
export type TakeBackResult =
  | { outcome: "taken_back"; approval: Approval; wakeUp: WakeUp | undefined }
  | { outcome: "too_late" | "forbidden"; approval: Approval }
  | NotOpenToYou;

/** The result of an action that came after the expiry, with the wake-up that the expiry causes. */
export interface ExpiredFirst {
  outcome: "expired";
  approval: Approval;
  wakeUp: WakeUp | undefined;
}

/** Who came first: another decision, or a withdrawal. */
export type LostTo = "already_decided" | "withdrawn";

/** The result of a decision. Losers learn who won. What is refused has the code of the error that people see. */
export type DecideResult =
  | { outcome: "decided"; approval: Approval; wakeUp: WakeUp | undefined }
  | { outcome: "repeated" | LostTo; approval: Approval; wakeUp: WakeUp | undefined }
  | ExpiredFirst
  | { outcome: "voted"; approval: Approval }
  | { outcome: "stopped"; approval: Approval; stop: Stop }
  | { outcome: "digest_changed"; approval: Approval; wakeUp: WakeUp | undefined }
  | {
      outcome:
        | "not_open"
        | "digest_mismatch"
        | "forbidden"
        | "self_approval"
        | "decision_not_allowed"
        | "wrong_place";
      approval: Approval;
    }
  | { outcome: "not_found" };

/** Why a person cannot act on an open call. */
export type NotOpenToYou =
  | { outcome: "not_found" }
  | { outcome: "forbidden" | "not_open"; approval: Approval }
  | { outcome: LostTo; approval: Approval; wakeUp: undefined }
  | ExpiredFirst;

export interface AssignInput {
  approvalId: string;
  principal: Principal;
  /** A principal's id; `null` removes the assignment. */
  to: string | null;
  /** The name of that person, for messages of channels. @default the id */
  toName?: string | undefined;
}

export type AssignResult =
  | { outcome: "assigned" | "repeated" | "self_approval"; approval: Approval }
  | NotOpenToYou;

export interface ViewingInput {
  approvalId: string;
  principal: Principal;
  /** False: the person has closed the call. */
  active: boolean;
}

export type ViewingResult = { outcome: "noted"; approval: Approval } | NotOpenToYou;

export interface SnoozeInput {
  approvalId: string;
  principal: Principal;
  /** `null` ends the snooze. */
  until: Date | null;
}

/** `forbidden` also: they have nothing left to decide about it here. */
export type SnoozeResult =
  | { outcome: "snoozed" | "forbidden" | "invalid_snooze"; approval: Approval }
  | NotOpenToYou;

export interface ExtendInput {
  approvalId: string;
  principal: Principal;
  /** Milliseconds to add: at least a minute, at most the original timeout. */
  byMs: number;
}

export type ExtendResult =
  | { outcome: "extended" | "self_approval" | "invalid_extension" | "no_extension_left"; approval: Approval }
  | NotOpenToYou;

export interface ResolveInput {
  approvalId: string;
  principal: Principal;
  outcome: Resolution["outcome"];
  note: string | null;
}

export type ResolveResult =
  | {
      outcome:
        | "resolved"
        | "repeated"
        | "self_approval"
        | "not_interrupted"
        | "already_resolved"
        | "no_rerun";
      approval: Approval;
    }
  | { outcome: "forbidden"; approval: Approval }
  | { outcome: "not_found" };

export type ClaimResult =
  | { outcome: "claimed"; approval: Approval }
  | { outcome: "already_started"; approval: Approval }
  /** Another run has started it and may still be at it. */
  | { outcome: "started_elsewhere"; approval: Approval }
  | { outcome: "refused"; approval: Approval }
  | { outcome: "not_found" };

/** Why a call must not start, and the field that shows it. */
export interface Objection {
  cause: WithdrawalCause;
  field?: string;
}

/**
 * The last check before a start. `basis` holds the people or the grant behind the approval. It is `undefined` if the
 * policy itself approved the call, or if the evidence is invalid.
 */
export type StartCheck = (approval: Approval, basis: ApprovalBasis | undefined) => Objection | undefined;

/** The action that a person tried. It is part of the type of the audit entry about a refusal. */
export type Attempt = "decision" | "taking_back" | "assignment" | "extension" | "resolution";

/** What a person tried, and on which digest. */
export interface Attempted {
  attempt: Attempt;
  /** The requested type, such as `approve`. */
  type?: string;
  principal: Principal;
  /** The digest in the request. */
  digest?: string;
}

/** What was refused, and the error. */
export interface RefusedAttempt extends Attempted {
  approvalId: string;
  code: CountersignErrorCode;
}

/** Approvals: what people do to them, and the start and end of their calls. */
export interface ApprovalPort {
  /** With a signer, a decision is written with its signed evidence. */
  decide(input: DecideInput, signer?: EvidenceSigner): Promise<DecideResult>;
  /** Takes back a held decision, or a vote. */
  takeBack(input: TakeBackInput): Promise<TakeBackResult>;
  /** Records a decision that was refused before it reached the store, if the person may see the call. */
  recordRefusal(refusal: RefusedAttempt): Promise<void>;
  /** Assigns a pending call. If its rule is `delegable`, the assignee may then decide. */
  assign(input: AssignInput, signer?: EvidenceSigner): Promise<AssignResult>;
  /** Records a viewer of a call. */
  setViewing(input: ViewingInput): Promise<ViewingResult>;
  /** Puts a pending call aside for one person, or ends that. It changes nothing for anybody else. */
  snooze(input: SnoozeInput): Promise<SnoozeResult>;
  /** Extends the time to decide a pending call, as often as its rule allows. */
  extend(input: ExtendInput): Promise<ExtendResult>;
  /** Records, once, what a person found out about an interrupted call. */
  resolve(input: ResolveInput, signer?: EvidenceSigner): Promise<ResolveResult>;
  /** The response that a person gave in place of the tool's result, or the edited arguments. */
  readReplacement(
    approvalId: string,
  ): Promise<{ responseJson: string | null; editedInputJson: string | null }>;
  /**
   * A call that has run, as it was signed when it ended; without a reader, its row. `undefined` if the row is another call
   * than the one that ran.
   */
  readAsSigned(
    tenantId: string,
    approvalId: string,
    reader: EvidenceReader | undefined,
  ): Promise<Approval | undefined>;
  /**
   * `approved → executing`, unless `check` objects. With a reader, only with valid signed evidence of the decision,
   * which is consumed; otherwise the call is withdrawn.
   * @param startedBy The run that starts it. @default none
   * @throws CountersignError `signing_key_missing` if there is evidence and no reader; the approval stays unchanged.
   */
  claim(
    approvalId: string,
    handlerKind: HandlerKind,
    check: StartCheck,
    reader?: EvidenceReader,
    startedBy?: string | null,
  ): Promise<ClaimResult>;
  /**
   * `executing → executed | failed | interrupted`. Only the run that started a call may say that it was interrupted; without
   * `startedBy`, only of one that no run started. Returns the row, updated or not.
   * @param claimed The call as it was read since its claim: then it is not read again, unless it undoes another.
   */
  finish(approvalId: string, end: CallEnd, claimed?: Approval): Promise<Approval | undefined>;
}

/** How a call that has started ends. */
export type CallEnd =
  | { status: "executed" | "failed"; outcomeJson: string; outcomeToken?: string | null }
  | { status: "interrupted"; startedBy?: string | null };

import type { AnswerOf, ApprovalView, BodyOf } from "countersign/client";

/** An approval as lists contain it; `context`, `earlier` and `history` are there once it was loaded by itself. */
export type Approval = ApprovalView &
  Partial<Pick<AnswerOf<"getApproval">, "context" | "earlier" | "history">>;
export type ApprovalPage = AnswerOf<"listApprovals">;
export type ApprovalStatus = Approval["status"];
export type Risk = Approval["risk"];
export type ResolutionOutcome = BodyOf<"resolve">["outcome"];
/** A value that may mislead: where it is, in which way, and the characters. */
export type TextFlag = Approval["flags"][number];
/** A rule that required approval, its reason and what it adds. */
export type RuleReason = Approval["reasons"][number];
/** A grant that the approver can give together with the approval. */
export type GrantSuggestion = Approval["grantSuggestions"][number];
/** The stop that covers a call. */
export type CallStop = NonNullable<Approval["stop"]>;
/** The same call, made before in the same conversation. */
export type EarlierCall = NonNullable<AnswerOf<"getApproval">["earlier"]>;
export type ContextMessage = AnswerOf<"getApproval">["context"]["messages"][number];

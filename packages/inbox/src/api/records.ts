import type { AnswerOf } from "countersign/client";

export type Me = AnswerOf<"me">;
export type Person = AnswerOf<"listPeople">["items"][number];
export type AuditEntry = AnswerOf<"listApprovalAudit">["items"][number];
export type Insight = AnswerOf<"getInsight">;
export type Grant = AnswerOf<"listGrants">["items"][number];
/** A stop for readers who can stop and release calls. */
export type Stop = AnswerOf<"listStops">["items"][number];
/** A message of a channel about an approval. */
export type Message = AnswerOf<"listDeliveries">["items"][number];
export type Preferences = AnswerOf<"getPreferences">;
/** The result of a dry run of an edit. */
export type EditCheck = AnswerOf<"checkEdit">;

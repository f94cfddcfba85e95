"use client";

export type { Approval } from "./api/approval.js";
export { type ThreadApprovals, useApprovals } from "./data/approvals/use-approvals.js";
export type { OnTitle } from "./data/browser/use-title.js";
export type { InboxHost, InboxKeys, InboxTheme } from "./data/inbox/host.js";
export type { InboxConfig, InboxSignIn } from "./data/inbox/inbox-config.js";
export type { InboxClientOptions } from "./data/inbox/inbox-context.js";
export { setInboxLanguage } from "./data/inbox/set-inbox-language.js";
export {
  ApprovalCard,
  type ApprovalCardProps,
  ApprovalDetail,
  type ApprovalDetailProps,
  ApprovalsInbox,
  type ApprovalsInboxProps,
  CountersignInboxProvider,
  type CountersignInboxProviderProps,
} from "./inbox.js";
export type { Language } from "./words/choose-language.js";

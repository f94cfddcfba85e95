export type { InboxConfig, InboxSignIn } from "./data/inbox-config.js";
export {
  ApprovalDetail,
  ApprovalsInbox,
  CountersignInboxProvider,
  type CountersignInboxProviderProps,
} from "./inbox.js";

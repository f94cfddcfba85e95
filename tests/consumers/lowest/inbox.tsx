import { ApprovalsInbox, CountersignInboxProvider } from "@countersign/inbox";

export const inbox = (
  <CountersignInboxProvider apiBase="/api" basePath="/inbox">
    <ApprovalsInbox />
  </CountersignInboxProvider>
);

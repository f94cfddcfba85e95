import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Router } from "wouter";
import { ErrorNotice } from "./components/error-notice.js";
import { DetailSkeleton } from "./components/skeletons.js";
import { createQueryClient, isSignedOut } from "./data/create-query-client.js";
import type { InboxConfig } from "./data/inbox-config.js";
import { createInbox, InboxContext } from "./data/inbox-context.js";
import { useMe } from "./data/use-me.js";
import { usePrefetchWaiting } from "./data/use-waiting.js";
import { DetailPane } from "./detail/late-detail-pane.js";
import { Late } from "./late/late.js";
import { latePart } from "./late/late-part.js";
import { InboxShell } from "./shell/inbox-shell.js";

const SignInPage = latePart(() => import("./sign-in/sign-in-page.js"));

export interface CountersignInboxProviderProps extends InboxConfig {
  children: ReactNode;
}

/**
 * What the components below share: the API, the session, what is typed and not sent. One for each place where approvals
 * are shown. Bring `@countersign/inbox/style.css` along.
 *
 * @example
 * ```tsx
 * import { ApprovalsInbox, CountersignInboxProvider } from "@countersign/inbox";
 * import "@countersign/inbox/style.css";
 *
 * export const Approvals = () => (
 *   <CountersignInboxProvider apiBase="/api" basePath="/approvals">
 *     <ApprovalsInbox />
 *   </CountersignInboxProvider>
 * );
 * ```
 */
export function CountersignInboxProvider({ children, ...config }: CountersignInboxProviderProps) {
  const [inbox] = useState(() => createInbox(config));
  const [client] = useState(createQueryClient);
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <InboxContext value={inbox}>
          <Router base={config.basePath}>{children}</Router>
        </InboxContext>
      </QueryClientProvider>
    </CSPProvider>
  );
}

/** The whole inbox: what waits, one of them in full, history and standing approvals; or the sign-in page. */
export function ApprovalsInbox() {
  // Not after it is known who reads: one answer less to wait for, and both say the same to who may not.
  usePrefetchWaiting();
  return (
    <SignedIn>
      <InboxShell />
    </SignedIn>
  );
}

/** One approval by its id, with everything that can be decided about it. */
export function ApprovalDetail({ id }: { id: string }) {
  return (
    <SignedIn>
      <Late fallback={<DetailSkeleton />}>
        <DetailPane id={id} backHref="/" />
      </Late>
    </SignedIn>
  );
}

/** Nothing of anybody's is shown before it is known who reads. */
function SignedIn({ children }: { children: ReactNode }) {
  const me = useMe();
  if (isSignedOut(me.error)) {
    return (
      <Late>
        <SignInPage />
      </Late>
    );
  }
  if (me.data) return children;
  if (me.error) {
    return (
      <main className="cs-sign-in">
        <ErrorNotice error={me.error} onRetry={() => void me.refetch()} />
      </main>
    );
  }
  return <main className="cs-sign-in" aria-busy="true" aria-label="Loading" />;
}

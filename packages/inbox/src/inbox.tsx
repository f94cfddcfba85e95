import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { Fragment, type ReactNode, useEffect, useState } from "react";
import { Router } from "wouter";
import { Card } from "./card/approval-card.js";
import { ErrorNotice } from "./components/error-notice.js";
import { CardSkeleton, DetailSkeleton } from "./components/skeletons.js";
import { useApproval } from "./data/approvals/use-approval.js";
import { usePrefetchFirstList } from "./data/approvals/use-list.js";
import { useLiveUpdates } from "./data/approvals/use-live-updates.js";
import { createQueryClient, isSignedOut } from "./data/inbox/create-query-client.js";
import type { InboxConfig } from "./data/inbox/inbox-config.js";
import { createInbox, type InboxClientOptions, InboxContext } from "./data/inbox/inbox-context.js";
import { setInboxLanguage, spoken } from "./data/inbox/set-inbox-language.js";
import { useValue } from "./data/inbox/value-store.js";
import { useForgottenPerson } from "./data/people/use-forgotten-person.js";
import { useKeptDrafts } from "./data/people/use-kept-drafts.js";
import { useMe } from "./data/people/use-me.js";
import { languageOf } from "./data/people/use-preferences.js";
import { useRefetchOnReturn } from "./data/people/use-refetch-on-return.js";
import { DetailPane } from "./detail/lazy-detail-pane.js";
import { LazyBoundary } from "./lazy/lazy-boundary.js";
import { LazyOverlay } from "./lazy/lazy-overlay.js";
import { lazyPart } from "./lazy/lazy-part.js";
import { InboxShell } from "./shell/inbox-shell.js";
import { words } from "./words/words.js";

const SessionEnded = lazyPart(() => import("./sign-in/session-ended.js"));
const SignInPage = lazyPart(() => import("./sign-in/sign-in-page.js"));

export interface CountersignInboxProviderProps extends InboxConfig {
  /**
   * A token or a `fetch` of your own for the API's requests. Read once: give the provider another `key` for another
   * person. @default the page's cookies
   */
  client?: InboxClientOptions;
  children: ReactNode;
}

/**
 * Provides the API client, the session and unsent drafts to the components below. Import
 * `@countersign/inbox/style.css` too.
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
export function CountersignInboxProvider({ children, client, ...config }: CountersignInboxProviderProps) {
  const [inbox] = useState(() => createInbox(config, client));
  const [queries] = useState(createQueryClient);
  const { language, locale } = useValue(spoken);
  const wanted = config.language;
  useEffect(() => {
    // If it cannot be loaded, the components stay in their language.
    if (wanted !== undefined) void setInboxLanguage(languageOf({ language: wanted })).catch(() => undefined);
  }, [wanted]);
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <InboxContext.Provider value={inbox}>
          <Router base={config.basePath}>
            {/* Texts are read while rendering, so another language renders everything again. */}
            <Fragment key={`${language} ${locale}`}>{children}</Fragment>
          </Router>
        </InboxContext.Provider>
      </QueryClientProvider>
    </CSPProvider>
  );
}

/** The whole inbox: pending approvals, details, history and grants, or the sign-in page. */
export function ApprovalsInbox() {
  // In parallel with /me, which saves a round trip. Both refuse a reader who is not signed in.
  usePrefetchFirstList();
  return (
    <SignedIn isWholePage>
      <InboxShell />
    </SignedIn>
  );
}

/** One approval by its id, with its decision bar. */
export function ApprovalDetail({ id }: { id: string }) {
  return (
    <SignedIn>
      <LazyBoundary fallback={<DetailSkeleton />}>
        <DetailPane id={id} backHref="/" />
      </LazyBoundary>
    </SignedIn>
  );
}

/** Props of `ApprovalCard`. */
export interface ApprovalCardProps {
  id: string;
  /** The level of the card's heading, which fits the page around it. @default 3 */
  headingLevel?: 2 | 3 | 4;
}

/**
 * One approval as a card with its arguments and the buttons to decide, for a page of your own, such as beside a chat.
 * The safeguards are those of the inbox. Its keys act while the focus is in the card. If values are hidden from the
 * reader, it links to the inbox instead of offering to approve.
 *
 * @example
 * ```tsx
 * import { ApprovalCard, CountersignInboxProvider } from "@countersign/inbox";
 * import "@countersign/inbox/style.css";
 *
 * export const Decision = ({ id }: { id: string }) => (
 *   <CountersignInboxProvider apiBase="/api" basePath="/approvals">
 *     <ApprovalCard id={id} />
 *   </CountersignInboxProvider>
 * );
 * ```
 */
export function ApprovalCard({ id, headingLevel = 3 }: ApprovalCardProps) {
  useLiveUpdates();
  const { data, error, refetch } = useApproval(id);
  if (data) return <Card key={id} approval={data} headingLevel={headingLevel} />;
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return <CardSkeleton />;
}

/**
 * Renders nothing before the reader is known. Once their session has ended, a whole page stays as it is, under a dialog; a part
 * of a page of the host does not cover it.
 */
function SignedIn({ isWholePage = false, children }: { isWholePage?: boolean; children: ReactNode }) {
  const me = useMe();
  const person = me.data?.principal;
  useKeptDrafts(person);
  const personKey = useForgottenPerson(person);
  const isOut = isSignedOut(me.error);
  useRefetchOnReturn(isOut);
  if (person && (isWholePage || !isOut)) {
    return (
      <>
        {personKey !== undefined && <Fragment key={personKey}>{children}</Fragment>}
        {isOut && (
          <LazyOverlay>
            <SessionEnded name={person.displayName ?? person.id} />
          </LazyOverlay>
        )}
      </>
    );
  }
  if (isOut) {
    return (
      <LazyBoundary>
        <SignInPage />
      </LazyBoundary>
    );
  }
  if (me.error) {
    return (
      <main className="cs-sign-in">
        <ErrorNotice error={me.error} onRetry={() => void me.refetch()} />
      </main>
    );
  }
  return <main className="cs-sign-in" aria-busy="true" aria-label={words.common.loading} />;
}

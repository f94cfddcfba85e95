import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { Fragment, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Router } from "wouter";
import type { Approval } from "./api/approval.js";
import { ErrorNotice } from "./components/error-notice.js";
import { Root } from "./components/root.js";
import { CardSkeleton, DetailSkeleton } from "./components/skeletons.js";
import { useApproval } from "./data/approvals/use-approval.js";
import { usePrefetchFirstList } from "./data/approvals/use-list.js";
import { useLiveUpdates } from "./data/approvals/use-live-updates.js";
import type { OnTitle } from "./data/browser/use-title.js";
import { createQueryClient, isSignedOut } from "./data/inbox/create-query-client.js";
import { HostContext, type InboxHost, type InboxKeys } from "./data/inbox/host.js";
import type { InboxConfig } from "./data/inbox/inbox-config.js";
import { createInbox, type InboxClientOptions, InboxContext } from "./data/inbox/inbox-context.js";
import { setInboxLanguage, spoken } from "./data/inbox/set-inbox-language.js";
import { useValue } from "./data/inbox/value-store.js";
import { useForgottenPerson } from "./data/people/use-forgotten-person.js";
import { useKeptDrafts } from "./data/people/use-kept-drafts.js";
import { useMe } from "./data/people/use-me.js";
import { chosenTheme, languageOf } from "./data/people/use-preferences.js";
import { useRefetchOnReturn } from "./data/people/use-refetch-on-return.js";
import { DetailPane } from "./detail/lazy-detail-pane.js";
import { LazyBoundary } from "./lazy/lazy-boundary.js";
import { LazyOverlay } from "./lazy/lazy-overlay.js";
import { lazyPart } from "./lazy/lazy-part.js";
import { InboxShell } from "./shell/inbox-shell.js";
import { words } from "./words/words.js";

const Card = lazyPart(() => import("./card/approval-card.js"));
const SessionEnded = lazyPart(() => import("./sign-in/session-ended.js"));
const SignInPage = lazyPart(() => import("./sign-in/sign-in-page.js"));

export interface CountersignInboxProviderProps extends InboxConfig, InboxHost {
  /**
   * A token or a `fetch` of your own for the API's requests. Read once: give the provider another `key` for another
   * person. @default the page's cookies
   */
  client?: InboxClientOptions;
  /**
   * Called after the reader has decided a call: approved, with or without changes, denied or answered. The decision counts by then,
   * but `held` says until when they can take it back. @default nothing
   */
  onDecided?: ((approval: Approval) => void) | undefined;
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
export function CountersignInboxProvider(props: CountersignInboxProviderProps) {
  const { children, client, onDecided, theme, container, renderValue, aside, ...config } = props;
  const latest = useRef(onDecided);
  useEffect(() => {
    latest.current = onDecided;
  });
  const [inbox] = useState(() =>
    // Apart, so that an error of the host is no error of the decision.
    createInbox(config, client, (approval) => queueMicrotask(() => latest.current?.(approval))),
  );
  const host = useMemo(
    () => ({ theme, container, renderValue, aside }),
    [theme, container, renderValue, aside],
  );
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
          <HostContext.Provider value={host}>
            <Router base={config.basePath}>
              {/* Texts are read while rendering, so another language renders everything again. */}
              <Fragment key={`${language} ${locale}`}>{children}</Fragment>
            </Router>
          </HostContext.Provider>
        </InboxContext.Provider>
      </QueryClientProvider>
    </CSPProvider>
  );
}

/** Props of `ApprovalsInbox`. */
export interface ApprovalsInboxProps {
  /**
   * Where its keys act: anywhere in the page, only while the focus is in it, or nowhere. Every action is on a button, too.
   * @default "page"
   */
  keys?: InboxKeys;
  /**
   * Receives the title of what is shown, and the number of calls that wait for the reader. @default the inbox writes both into the
   * title of the document, and the number into the badge of an installed application
   */
  onTitle?: OnTitle;
}

/** The whole inbox: pending approvals, details, history and grants, or the sign-in page. */
export function ApprovalsInbox({ keys = "page", onTitle }: ApprovalsInboxProps) {
  // In parallel with /me, which saves a round trip. Both refuse a reader who is not signed in.
  usePrefetchFirstList();
  const chosen = useValue(chosenTheme);
  return (
    <Root of="inbox" keys={keys} chosen={chosen === "system" ? undefined : chosen}>
      <SignedIn isWholePage>
        <InboxShell onTitle={onTitle} />
      </SignedIn>
    </Root>
  );
}

/** Props of `ApprovalDetail`. */
export interface ApprovalDetailProps {
  id: string;
  /** The level of its heading, which fits the page around it. @default 2 */
  headingLevel?: 1 | 2 | 3 | 4;
  /** Whether the heading takes the focus once the approval is shown. @default false */
  autoFocus?: boolean;
  /** Where its keys act: only while the focus is in it, anywhere in the page, or nowhere. @default "focused" */
  keys?: InboxKeys;
}

/** One approval by its id, with all that the inbox shows of it and its decision bar. */
export function ApprovalDetail({
  id,
  headingLevel = 2,
  autoFocus = false,
  keys = "focused",
}: ApprovalDetailProps) {
  return (
    <Root of="detail" keys={keys} headingLevel={headingLevel}>
      <SignedIn>
        <LazyBoundary fallback={<DetailSkeleton />}>
          <DetailPane id={id} autoFocus={autoFocus} />
        </LazyBoundary>
      </SignedIn>
    </Root>
  );
}

/** Props of `ApprovalCard`. */
export interface ApprovalCardProps {
  id: string;
  /** The level of the card's heading, which fits the page around it. @default 3 */
  headingLevel?: 2 | 3 | 4;
  /** Where its keys act: only while the focus is in it, anywhere in the page, or nowhere. @default "focused" */
  keys?: InboxKeys;
}

/**
 * One approval as a card with its arguments and the buttons to decide, for a page of your own, such as beside a chat.
 * The safeguards are those of the inbox. If values are hidden from the reader, it links to the inbox instead of offering to approve.
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
export function ApprovalCard({ id, headingLevel = 3, keys = "focused" }: ApprovalCardProps) {
  useLiveUpdates();
  const { data, error, refetch } = useApproval(id);
  return (
    <Root of="card" keys={keys} headingLevel={headingLevel}>
      {data ? (
        <LazyBoundary fallback={<CardSkeleton />}>
          <Card key={id} approval={data} />
        </LazyBoundary>
      ) : error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : (
        <CardSkeleton />
      )}
    </Root>
  );
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
  const Frame = isWholePage ? "main" : "div";
  if (me.error) {
    return (
      <Frame className="cs-sign-in">
        <ErrorNotice error={me.error} onRetry={() => void me.refetch()} />
      </Frame>
    );
  }
  return <Frame className="cs-sign-in" aria-busy="true" aria-label={words.common.loading} />;
}

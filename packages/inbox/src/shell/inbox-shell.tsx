import { useCallback, useEffect, useState } from "react";
import { useLocation, useRoute } from "wouter";
import { Banner } from "../components/banner.js";
import { EmptyState } from "../components/empty-state.js";
import { DetailSkeleton } from "../components/skeletons.js";
import { useInterrupted } from "../data/approvals/use-history.js";
import { useLiveUpdates } from "../data/approvals/use-live-updates.js";
import { pendingCount, usePending } from "../data/approvals/use-pending.js";
import { useOnline } from "../data/browser/use-online.js";
import { usePageTitle } from "../data/browser/use-title.js";
import { whenIdle } from "../data/browser/when-idle.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { usePreferences } from "../data/people/use-preferences.js";
import { DetailPane } from "../detail/lazy-detail-pane.js";
import { useShortcuts } from "../keyboard/use-shortcuts.js";
import { LazyBoundary } from "../lazy/lazy-boundary.js";
import { lazyPart, loadLazyParts } from "../lazy/lazy-part.js";
import { PendingPane } from "../list/pending-pane.js";
import { StopBanner } from "../stops/stop-banner.js";
import { notify } from "./notify.js";
import type { Overlay } from "./overlay.js";
import { ShellHeader } from "./shell-header.js";

const HistoryPane = lazyPart(() => import("../history/history-pane.js"));
const GrantsPage = lazyPart(() => import("../grants/grants-page.js"));
const CommandPalette = lazyPart(() => import("./command-palette.js"));
const StopDialog = lazyPart(() => import("../stops/stop-dialog.js"));
const DecisionToasts = lazyPart(() => import("../decide/decision-toasts.js"));
const HelpDialog = lazyPart(() => import("./help-dialog.js"));

/** The inbox of a signed-in reader. */
export function InboxShell() {
  const { config, link } = useInbox();
  const [, pendingRoute] = useRoute("/approvals/:id");
  const [inHistory, historyRoute] = useRoute("/history/:id?");
  const [inGrants] = useRoute("/grants");
  const [location, navigate] = useLocation();
  const [overlay, setOverlay] = useState<Overlay>();
  const [{ notifications }] = usePreferences();
  const pending = usePending();
  const interrupted = useInterrupted(!pending.isPending);
  const online = useOnline();
  const linkState = useValue(link);

  useLiveUpdates(
    useCallback(
      (approval) => {
        if (notifications) notify(approval, `${config.basePath}/approvals/${approval.id}`);
      },
      [notifications, config.basePath],
    ),
  );
  usePageTitle(pending.items.length);
  useEffect(() => {
    if (!pending.isPending) return whenIdle(loadLazyParts);
  }, [pending.isPending]);
  const id = pendingRoute?.id ?? historyRoute?.id;
  const back = inHistory ? "/history" : "/";
  useShortcuts({
    "?": () => setOverlay("help"),
    "mod+k": () => setOverlay("palette"),
    escape: id === undefined ? undefined : () => navigate(back),
  });
  const close = () => setOverlay(undefined);
  return (
    <div className="cs-app">
      <ShellHeader
        pending={pending.isSuccess ? pendingCount(pending.items.length, pending.hasNextPage) : undefined}
        link={linkState}
        onOverlay={setOverlay}
      />
      {!online && (
        <Banner tone="warning" icon="offline" title="Cannot reach the server" urgent>
          This page may be out of date. What you typed is kept. You can decide once the server responds again.
        </Banner>
      )}
      <StopBanner items={pending.items} onManage={() => setOverlay("stop")} />
      {interrupted.data && interrupted.data.length > 0 && location === "/" && (
        <Banner
          tone="danger"
          icon="high"
          title={
            interrupted.data.length === 1
              ? "1 call was interrupted and may or may not have run"
              : `${interrupted.data.length} calls were interrupted and may or may not have run`
          }
          actions={
            <button
              type="button"
              className="cs-button"
              data-tone="plain"
              onClick={() => navigate(`/history/${interrupted.data[0]?.id}`)}
            >
              Review
            </button>
          }
        />
      )}
      <main
        className="cs-panes"
        data-detail={id !== undefined || undefined}
        data-page={inGrants || undefined}
      >
        <LazyBoundary>
          {inGrants ? (
            <GrantsPage />
          ) : inHistory ? (
            <HistoryPane currentId={historyRoute?.id} />
          ) : (
            <PendingPane currentId={pendingRoute?.id} />
          )}
        </LazyBoundary>
        {!inGrants &&
          (id === undefined ? (
            <section className="cs-detail-pane" aria-label="Approval" data-empty>
              {(inHistory || pending.items.length > 0) && (
                <EmptyState title="No approval selected">
                  <p>
                    Select one from the list, or press <kbd className="cs-kbd">J</kbd> for the most urgent.
                  </p>
                </EmptyState>
              )}
            </section>
          ) : (
            <LazyBoundary
              fallback={
                <section className="cs-detail-pane">
                  <DetailSkeleton />
                </section>
              }
            >
              <DetailPane id={id} backHref={back} />
            </LazyBoundary>
          ))}
      </main>
      <LazyBoundary>
        <DecisionToasts />
        {overlay === "help" && <HelpDialog onClose={close} />}
        {overlay === "stop" && <StopDialog onClose={close} />}
        {overlay === "palette" && (
          <CommandPalette
            items={pending.items}
            onClose={close}
            onHelp={() => setOverlay("help")}
            onStop={() => setOverlay("stop")}
          />
        )}
      </LazyBoundary>
    </div>
  );
}

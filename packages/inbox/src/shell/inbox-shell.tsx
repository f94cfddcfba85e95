import { useCallback, useContext, useEffect, useMemo, useState } from "react";
import { useLocation, useRoute, useSearch } from "wouter";
import { Banner } from "../components/banner.js";
import { DetailSkeleton } from "../components/skeletons.js";
import { countText, useCounts } from "../data/approvals/use-counts.js";
import { useList } from "../data/approvals/use-list.js";
import { useLiveUpdates } from "../data/approvals/use-live-updates.js";
import { useReturns } from "../data/approvals/use-returns.js";
import { useMayStop } from "../data/approvals/use-stops.js";
import { useIsWide } from "../data/browser/use-is-wide.js";
import { useOnline } from "../data/browser/use-online.js";
import { type OnTitle, usePageTitle } from "../data/browser/use-title.js";
import { whenIdle } from "../data/browser/when-idle.js";
import { PlaceContext } from "../data/inbox/host.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { spoken } from "../data/inbox/set-inbox-language.js";
import { useValue } from "../data/inbox/value-store.js";
import { usePreferences } from "../data/people/use-preferences.js";
import { DetailPane } from "../detail/lazy-detail-pane.js";
import { focusCall, focusNextRegion } from "../keyboard/regions.js";
import { useCommands } from "../keyboard/use-commands.js";
import { LazyBoundary } from "../lazy/lazy-boundary.js";
import { LazyOverlay } from "../lazy/lazy-overlay.js";
import { backgroundPart, lazyPart, loadLazyParts } from "../lazy/lazy-part.js";
import { ListPane } from "../list/list-pane.js";
import { StopBanner } from "../stops/stop-banner.js";
import { words } from "../words/words.js";
import { notify } from "./notify.js";
import type { Overlay } from "./overlay.js";
import { ShellHeader } from "./shell-header.js";
import { usePage } from "./use-page.js";

const HistoryPane = lazyPart(() => import("../history/history-pane.js"));
const DaySoFar = backgroundPart(() => import("../list/day-so-far.js"));
const GrantsPage = lazyPart(() => import("../grants/grants-page.js"));
const NothingHere = lazyPart(() => import("./nothing-here.js"));
const InsightPage = lazyPart(() => import("../insight/insight-page.js"));
const SuggestionsPage = lazyPart(() => import("../insight/suggestions-page.js"));
const CommandPalette = lazyPart(() => import("./command-palette.js"));
const StopDialog = lazyPart(() => import("../stops/stop-dialog.js"));
const DecisionToasts = backgroundPart(() => import("../decide/decision-toasts.js"));
const PushNotifications = backgroundPart(() => import("./push-notifications.js"));
const HelpDialog = lazyPart(() => import("./help-dialog.js"));

/** The inbox of a signed-in reader. */
export function InboxShell({ onTitle }: { onTitle: OnTitle | undefined }) {
  const { config, link, covers } = useInbox();
  const [, pendingRoute] = useRoute("/approvals/:id");
  const [, historyRoute] = useRoute("/history/:id?");
  const page = usePage();
  const [, navigate] = useLocation();
  const search = useSearch();
  /** Whether what the first view does without may be loaded. */
  const [hasRest, setHasRest] = useState(false);
  const [overlay, setOverlay] = useState<Overlay>();
  const [{ notifications }] = usePreferences();
  const forYou = useList({ list: "for_you", text: "" });
  const counts = useCounts().data?.lists;
  const online = useOnline();
  const linkState = useValue(link);

  useLiveUpdates(
    useCallback(
      (approval) => {
        if (notifications) void notify(approval, config.basePath);
      },
      [notifications, config.basePath],
    ),
  );
  useReturns();
  usePageTitle(counts?.for_you ?? 0, onTitle);
  useEffect(() => {
    if (forYou.isPending) return undefined;
    return whenIdle(() => {
      loadLazyParts();
      setHasRest(true);
    });
  }, [forYou.isPending]);
  const id = pendingRoute?.id ?? historyRoute?.id;
  const inHistory = page === "history";
  const hasPanes = inHistory || page === "pending";
  const isWide = useIsWide();
  const [newest, setNewest] = useState<string>();
  /** Beside History, the newest call is shown before the reader opens one. */
  const shownId = id ?? (inHistory && isWide ? newest : undefined);
  const place = useContext(PlaceContext);
  const below = useMemo(() => ({ ...place, levels: place.levels.map((level) => level + 1) }), [place]);
  const back = `${inHistory ? "/history" : "/"}${search && `?${search}`}`;
  const mayStop = useMayStop();
  useCommands({
    help: () => setOverlay("help"),
    // In the place of another dialog of the page, but not over one of the list or of the call: what it offers would be behind it.
    palette: () => covers.get() <= (overlay ? 1 : 0) && setOverlay("palette"),
    stop: mayStop ? () => setOverlay("stop") : undefined,
    nextPart: focusNextRegion,
    back: id === undefined ? undefined : () => navigate(back),
  });
  const close = () => setOverlay(undefined);
  const texts = words.page;
  return (
    <div className="cs-app" lang={spoken.get().language}>
      {shownId !== undefined && (
        <button type="button" className="cs-skip" onClick={focusCall}>
          {texts.skip}
        </button>
      )}
      <ShellHeader pending={countText(counts?.for_you)} link={linkState} onOverlay={setOverlay} />
      {!online && (
        <Banner tone="warning" icon="offline" title={texts.offline.title} urgent>
          {texts.offline.text}
        </Banner>
      )}
      <StopBanner items={forYou.items} openId={shownId} onManage={() => setOverlay("stop")} />
      <main
        className="cs-panes"
        data-detail={id !== undefined || undefined}
        data-page={!hasPanes || undefined}
      >
        {id === undefined && hasPanes && <h1 className="cs-visually-hidden">{texts.title}</h1>}
        <LazyBoundary>
          {page === "unknown" ? (
            <NothingHere />
          ) : page === "grants" ? (
            <GrantsPage />
          ) : page === "insight" ? (
            <InsightPage />
          ) : page === "suggestions" ? (
            <SuggestionsPage />
          ) : inHistory ? (
            <HistoryPane shownId={shownId} isOpen={id !== undefined} onNewest={setNewest} />
          ) : (
            <ListPane currentId={pendingRoute?.id} />
          )}
        </LazyBoundary>
        {hasPanes &&
          (shownId === undefined ? (
            <section className="cs-detail-pane" aria-label={texts.noCall} data-empty>
              <LazyBoundary>{hasRest && !inHistory && <DaySoFar />}</LazyBoundary>
            </section>
          ) : (
            <LazyBoundary
              fallback={
                <section className="cs-detail-pane">
                  <DetailSkeleton />
                </section>
              }
            >
              {/* Below the heading of the page, until the reader opens it. */}
              <PlaceContext.Provider value={id === undefined ? below : place}>
                <DetailPane id={shownId} backHref={back} autoFocus={id !== undefined} />
              </PlaceContext.Provider>
            </LazyBoundary>
          ))}
      </main>
      {/* Apart, because a part that is still loading hides what is beside it. */}
      <LazyBoundary>{hasRest && <DecisionToasts />}</LazyBoundary>
      <LazyBoundary>{hasRest && <PushNotifications />}</LazyBoundary>
      <LazyOverlay>
        {overlay === "help" && <HelpDialog onClose={close} />}
        {overlay === "stop" && <StopDialog onClose={close} />}
        {overlay === "palette" && <CommandPalette openId={shownId} items={forYou.items} onClose={close} />}
      </LazyOverlay>
    </div>
  );
}

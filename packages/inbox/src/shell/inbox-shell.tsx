import { useCallback, useEffect, useState } from "react";
import { useLocation, useRoute } from "wouter";
import { Banner } from "../components/banner.js";
import { EmptyState } from "../components/empty-state.js";
import { DetailSkeleton } from "../components/skeletons.js";
import { useInbox } from "../data/inbox-context.js";
import { useInterrupted } from "../data/use-history.js";
import { useLiveUpdates } from "../data/use-live-updates.js";
import { useOnline } from "../data/use-online.js";
import { usePreferences } from "../data/use-preferences.js";
import { usePageTitle } from "../data/use-title.js";
import { countWords, useWaiting } from "../data/use-waiting.js";
import { useValue } from "../data/value-store.js";
import { DetailPane } from "../detail/late-detail-pane.js";
import { useShortcuts } from "../keyboard/use-shortcuts.js";
import { Late } from "../late/late.js";
import { latePart, loadLateParts } from "../late/late-part.js";
import { whenIdle } from "../late/when-idle.js";
import { WaitingPane } from "../list/waiting-pane.js";
import { notify } from "./notify.js";
import { ShellHeader } from "./shell-header.js";

const HistoryPane = latePart(() => import("../history/history-pane.js"));
const GrantsPage = latePart(() => import("../grants/grants-page.js"));
const CommandPalette = latePart(() => import("./command-palette.js"));
const HelpDialog = latePart(() => import("./help-dialog.js"));

export type Overlay = "help" | "palette" | undefined;

/** The whole inbox for somebody who is signed in. */
export function InboxShell() {
  const { config, link } = useInbox();
  const [, waitingRoute] = useRoute("/approvals/:id");
  const [inHistory, historyRoute] = useRoute("/history/:id?");
  const [inGrants] = useRoute("/standing");
  const [location, navigate] = useLocation();
  const [overlay, setOverlay] = useState<Overlay>();
  const [{ notifications }] = usePreferences();
  const waiting = useWaiting();
  const interrupted = useInterrupted(!waiting.isPending);
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
  usePageTitle(waiting.items.length);
  useEffect(() => {
    if (!waiting.isPending) return whenIdle(loadLateParts);
  }, [waiting.isPending]);
  const id = waitingRoute?.id ?? historyRoute?.id;
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
        waiting={waiting.isSuccess ? countWords(waiting.items.length, waiting.hasNextPage) : undefined}
        link={linkState}
        onOverlay={setOverlay}
      />
      {!online && (
        <Banner tone="warning" icon="offline" title="The server cannot be reached" urgent>
          What you see may be old. Nothing you typed is lost, and nothing can be decided until it answers.
        </Banner>
      )}
      {interrupted.data && interrupted.data.length > 0 && location === "/" && (
        <Banner
          tone="danger"
          icon="high"
          title={
            interrupted.data.length === 1
              ? "One call was cut off and may or may not have run"
              : `${interrupted.data.length} calls were cut off and may or may not have run`
          }
          actions={
            <button
              type="button"
              className="cs-button"
              data-tone="plain"
              onClick={() => navigate(`/history/${interrupted.data[0]?.id}`)}
            >
              Look into it
            </button>
          }
        />
      )}
      <main
        className="cs-panes"
        data-detail={id !== undefined || undefined}
        data-page={inGrants || undefined}
      >
        <Late>
          {inGrants ? (
            <GrantsPage />
          ) : inHistory ? (
            <HistoryPane currentId={historyRoute?.id} />
          ) : (
            <WaitingPane currentId={waitingRoute?.id} />
          )}
        </Late>
        {!inGrants &&
          (id === undefined ? (
            <section className="cs-detail-pane" aria-label="Approval" data-empty>
              {(inHistory || waiting.items.length > 0) && (
                <EmptyState title="Nothing is open">
                  <p>
                    Choose one from the list, or press <kbd className="cs-kbd">J</kbd> for the most urgent.
                  </p>
                </EmptyState>
              )}
            </section>
          ) : (
            <Late
              fallback={
                <section className="cs-detail-pane">
                  <DetailSkeleton />
                </section>
              }
            >
              <DetailPane id={id} backHref={back} />
            </Late>
          ))}
      </main>
      <Late>
        {overlay === "help" && <HelpDialog onClose={close} />}
        {overlay === "palette" && (
          <CommandPalette items={waiting.items} onClose={close} onHelp={() => setOverlay("help")} />
        )}
      </Late>
    </div>
  );
}

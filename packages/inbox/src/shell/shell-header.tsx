import { Link } from "wouter";
import { Button } from "../components/button.js";
import { Icon } from "../components/icon.js";
import { useMayStop } from "../data/approvals/use-stops.js";
import type { LinkState } from "../data/inbox/inbox-context.js";
import { lazyPart } from "../lazy/lazy-part.js";
import { words } from "../words/words.js";
import { MenuButton } from "./menu-button.js";
import type { Overlay } from "./overlay.js";
import { PersonButton } from "./person-button.js";
import { usePage } from "./use-page.js";

const MoreMenu = lazyPart(() => import("./more-menu.js"));

interface ShellHeaderProps {
  /** The number of pending approvals as text, for the other pages: the lists have it. Undefined until it is known. */
  pending: string | undefined;
  link: LinkState;
  onOverlay: (overlay: Overlay) => void;
}

/** Navigation, the connection state, and the person menu. */
export function ShellHeader({ pending, link, onOverlay }: ShellHeaderProps) {
  const page = usePage();
  const mayStop = useMayStop();
  const { title, pages, links, stop } = words.page;
  const isFirst = page === "pending" || page === "history" || page === "unknown";
  return (
    <header className="cs-header">
      <nav aria-label={title}>
        <Link href="/" aria-current={page === "pending" ? "page" : undefined}>
          {pages.pending}
          {page !== "pending" && pending !== undefined && pending !== "0" && (
            <span className="cs-count">{pending}</span>
          )}
        </Link>
        <Link href="/history" aria-current={page === "history" ? "page" : undefined}>
          {pages.history}
        </Link>
        <MenuButton
          className="cs-more"
          aria-current={isFirst ? undefined : "page"}
          menu={(props) => <MoreMenu page={page} {...props} />}
        >
          <span className={isFirst ? undefined : "cs-visually-hidden"}>{pages.more}</span>
          {!isFirst && <span>{pages[page]}</span>}
          <Icon name="down" />
        </MenuButton>
      </nav>
      <span className="cs-spacer" />
      <span
        className="cs-link-state"
        data-state={link}
        role="img"
        aria-label={links[link]}
        title={links[link]}
      />
      {mayStop && (
        <Button tone="quiet" aria-label={stop.calls} onClick={() => onOverlay("stop")}>
          <Icon name="critical" />
          <span className="cs-wide">{stop.short}</span>
        </Button>
      )}
      <Button tone="quiet" command="palette" onClick={() => onOverlay("palette")}>
        <Icon name="search" />
        <span className="cs-wide">{words.commands.labels.palette}</span>
      </Button>
      <PersonButton onHelp={() => onOverlay("help")} />
    </header>
  );
}

import { Link } from "wouter";
import { Button } from "../components/button.js";
import { Icon } from "../components/icon.js";
import { useMayStop } from "../data/approvals/use-stops.js";
import type { LinkState } from "../data/inbox/inbox-context.js";
import { commands } from "../logic/keyboard/commands.js";
import type { Overlay } from "./overlay.js";
import { PersonButton } from "./person-button.js";
import { usePage } from "./use-page.js";

interface ShellHeaderProps {
  /** The number of pending approvals as text, for the other pages: the lists have it. Undefined until it is known. */
  pending: string | undefined;
  link: LinkState;
  onOverlay: (overlay: Overlay) => void;
}

const linkLabels: Record<LinkState, string> = {
  connecting: "Connecting",
  live: "Live",
  polling: "Checking for updates every 10 seconds",
  offline: "Offline",
};

/** Navigation, the connection state, and the person menu. */
export function ShellHeader({ pending, link, onOverlay }: ShellHeaderProps) {
  const page = usePage();
  const mayStop = useMayStop();
  return (
    <header className="cs-header">
      <nav aria-label="Approvals">
        <Link href="/" aria-current={page === "pending" ? "page" : undefined}>
          Pending
          {page !== "pending" && pending !== undefined && pending !== "0" && (
            <span className="cs-count">{pending}</span>
          )}
        </Link>
        <Link href="/history" aria-current={page === "history" ? "page" : undefined}>
          History
        </Link>
        <Link href="/grants" aria-current={page === "grants" ? "page" : undefined}>
          Grants
        </Link>
        <Link href="/insight" aria-current={page === "insight" ? "page" : undefined}>
          Insight
        </Link>
      </nav>
      <span className="cs-spacer" />
      <span
        className="cs-link-state"
        data-state={link}
        role="img"
        aria-label={linkLabels[link]}
        title={linkLabels[link]}
      />
      {mayStop && (
        <Button tone="quiet" aria-label="Stop calls" onClick={() => onOverlay("stop")}>
          <Icon name="critical" />
          <span className="cs-wide">Stop</span>
        </Button>
      )}
      <Button tone="quiet" command="palette" onClick={() => onOverlay("palette")}>
        <Icon name="search" />
        <span className="cs-wide">{commands.palette.label}</span>
      </Button>
      <PersonButton onHelp={() => onOverlay("help")} />
    </header>
  );
}

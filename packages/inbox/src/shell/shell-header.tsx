import { Link, useRoute } from "wouter";
import { Button } from "../components/button.js";
import { Icon } from "../components/icon.js";
import type { LinkState } from "../data/inbox-context.js";
import type { Overlay } from "./inbox-shell.js";
import { PersonButton } from "./person-button.js";

interface ShellHeaderProps {
  /** How many wait, as words; undefined until that is known. */
  waiting: string | undefined;
  link: LinkState;
  onOverlay: (overlay: Overlay) => void;
}

const linkWords: Record<LinkState, string> = {
  connecting: "Connecting",
  live: "Up to date, live",
  polling: "Up to date, asking every 10 seconds",
  offline: "Not connected",
};

/** Where one can go, whether what is shown is new, and who one is. */
export function ShellHeader({ waiting, link, onOverlay }: ShellHeaderProps) {
  const [inHistory] = useRoute("/history/:id?");
  const [inGrants] = useRoute("/standing");
  const inWaiting = !inHistory && !inGrants;
  return (
    <header className="cs-header">
      <nav aria-label="Approvals">
        <Link href="/" aria-current={inWaiting ? "page" : undefined}>
          Waiting
          {waiting !== undefined && waiting !== "0" && <span className="cs-count">{waiting}</span>}
        </Link>
        <Link href="/history" aria-current={inHistory ? "page" : undefined}>
          History
        </Link>
        <Link href="/standing" aria-current={inGrants ? "page" : undefined}>
          Standing
        </Link>
      </nav>
      <span className="cs-spacer" />
      <span
        className="cs-link-state"
        data-state={link}
        role="img"
        aria-label={linkWords[link]}
        title={linkWords[link]}
      />
      <Button
        tone="quiet"
        aria-label="Commands"
        aria-keyshortcuts="Control+K"
        onClick={() => onOverlay("palette")}
      >
        <Icon name="search" />
        <span className="cs-wide">Commands</span>
      </Button>
      <PersonButton onHelp={() => onOverlay("help")} />
    </header>
  );
}

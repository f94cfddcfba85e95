import { type ReactNode, useContext, useMemo, useRef } from "react";
import { HostContext, type InboxTheme, type Place, PlaceContext } from "../data/inbox/host.js";

interface RootProps extends Pick<Place, "of" | "keys"> {
  /** The theme that the reader has chosen. */
  chosen?: InboxTheme | undefined;
  headingLevel?: number;
  children: ReactNode;
}

/** The element around a component of the inbox. It has the component's theme, and takes no part in the layout of the page. */
export function Root({ of, keys, chosen, headingLevel = 1, children }: RootProps) {
  const element = useRef<HTMLDivElement>(null);
  const { theme = chosen } = useContext(HostContext);
  const place = useMemo(() => {
    // A card has no parts between its heading and its sections.
    const levels = [0, 1, of === "card" ? 1 : 2].map((step) => Math.min(headingLevel + step, 6));
    return { of, element, keys, theme, levels };
  }, [of, keys, theme, headingLevel]);
  return (
    <PlaceContext.Provider value={place}>
      <div ref={element} className="cs-root cs-contents" data-theme={theme}>
        {children}
      </div>
    </PlaceContext.Provider>
  );
}

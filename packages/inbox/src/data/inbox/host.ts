import { createContext, type ReactNode, type RefObject, useContext } from "react";
import type { Approval } from "../../api/approval.js";

/** `system` follows the reader's device. */
export type InboxTheme = "light" | "dark" | "system";

/** Where the keys of a component act. */
export type InboxKeys = "none" | "focused" | "page";

/** What a page does with the inbox in it. */
export interface InboxHost {
  /**
   * The theme of the components and of what they open. It replaces the reader's choice, and the menu does not offer one.
   * @default `data-theme` of the nearest ancestor that has it, otherwise the `color-scheme` of the page around them. In
   * `ApprovalsInbox`, the reader's choice comes first.
   */
  theme?: InboxTheme | undefined;
  /**
   * The element that dialogs, menus, hints and messages are added to, such as one inside the wrapper that has your theme. While it
   * is `null`, they wait for it. @default the page's `<main>` for menus and hints, `<body>` for the others
   */
  container?: HTMLElement | RefObject<HTMLElement | null> | null | undefined;
  /**
   * Renders something of yours below the value of an argument, such as the name of the customer that an id stands for. The value
   * stays as it is, with its warnings. Not called for values that are hidden from the reader or being edited.
   *
   * @param path The argument's path with dots, such as `customer.id`.
   * @param value The value that runs: of an edit, if there is one. A model wrote it: never render it as HTML.
   * @default nothing
   */
  renderValue?: ((path: string, value: unknown, approval: Approval) => ReactNode) | undefined;
  /** Renders something of yours beside a call, such as the order that it is about: below it in narrow places. @default nothing */
  aside?: ((approval: Approval) => ReactNode) | undefined;
}

export const HostContext = createContext<InboxHost>({});

/** Where a component of the inbox stands in a page. */
export interface Place {
  of: "inbox" | "detail" | "card";
  /** The element around it. */
  element: RefObject<HTMLElement | null>;
  keys: InboxKeys;
  theme: InboxTheme | undefined;
  /** The level of its heading, of its parts' headings, and of those inside the parts. */
  levels: readonly number[];
}

export const PlaceContext = createContext<Place>({
  of: "inbox",
  element: { current: null },
  keys: "page",
  theme: undefined,
  levels: [1, 2, 3],
});

/**
 * Props of the portal of a dialog, menu or the like.
 *
 * @param standard Where it is if the host has not named a container. @default `<body>`
 */
export function usePortal(standard?: RefObject<HTMLElement | null>) {
  const { container = standard } = useContext(HostContext);
  const { theme } = useContext(PlaceContext);
  return { className: "cs-root", "data-theme": theme, container };
}

import { createContext, type RefObject } from "react";

/**
 * The card around a component; `null` in the inbox itself. Keys act only in the card that has the focus, and links lead
 * to the inbox's own page.
 */
export const CardScope = createContext<RefObject<HTMLElement | null> | null>(null);

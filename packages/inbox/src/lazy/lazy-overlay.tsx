import type { ReactNode } from "react";
import { Covers } from "../components/covers.js";
import { LazyBoundary } from "./lazy-boundary.js";

/** Renders a lazy dialog or menu, which covers the page from the moment that the reader asks for it. */
export function LazyOverlay({ children }: { children: ReactNode }) {
  return <LazyBoundary fallback={<Covers />}>{children}</LazyBoundary>;
}

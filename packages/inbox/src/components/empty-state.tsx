import type { ReactNode } from "react";
import { Heading } from "./heading.js";

interface EmptyStateProps {
  title: string;
  /** Whether it is the only content of the page and needs an h1. @default false */
  alone?: boolean;
  children?: ReactNode;
}

/** A message for a place that has no content. */
export function EmptyState({ title, alone = false, children }: EmptyStateProps) {
  return (
    <div className="cs-empty">
      <Heading step={alone ? 0 : 1}>{title}</Heading>
      {children}
    </div>
  );
}

import type { ReactNode, RefObject } from "react";
import { Heading } from "./heading.js";

interface EmptyStateProps {
  title: string;
  /** Whether it is the only content of the page and needs an h1. @default false */
  alone?: boolean;
  /** Set to the heading, which can have the focus then. */
  heading?: RefObject<HTMLHeadingElement | null>;
  children?: ReactNode;
}

/** A message for a place that has no content. */
export function EmptyState({ title, alone = false, heading, children }: EmptyStateProps) {
  return (
    <div className="cs-empty">
      <Heading ref={heading} step={alone ? 0 : 1} tabIndex={heading && -1}>
        {title}
      </Heading>
      {children}
    </div>
  );
}

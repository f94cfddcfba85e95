import type { ReactNode } from "react";

interface EmptyStateProps {
  title: string;
  /** The only thing on the page. */
  alone?: boolean;
  children?: ReactNode;
}

/** A place with nothing in it, and what to do then. */
export function EmptyState({ title, alone = false, children }: EmptyStateProps) {
  return (
    <div className="cs-empty">
      {alone ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}

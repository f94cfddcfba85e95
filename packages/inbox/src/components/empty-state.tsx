import type { ReactNode } from "react";

interface EmptyStateProps {
  title: string;
  children?: ReactNode;
}

/** A place with nothing in it, and what to do then. */
export function EmptyState({ title, children }: EmptyStateProps) {
  return (
    <div className="cs-empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

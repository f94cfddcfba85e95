import type { ReactNode } from "react";
import { LazyBoundary } from "../lazy/lazy-boundary.js";

interface SlotProps {
  render: () => ReactNode;
  className?: string;
}

/** What a host's page adds to a call. It cannot paint over what stands around it, nor take it along when it fails. */
export function Slot(props: SlotProps) {
  return (
    <LazyBoundary>
      <Content {...props} />
    </LazyBoundary>
  );
}

function Content({ render, className = "" }: SlotProps) {
  const content = render();
  return content == null || content === false ? null : (
    <div className={`cs-slot ${className}`.trim()}>{content}</div>
  );
}

import { type RefObject, useEffect, useRef } from "react";

/** Focuses the heading of a call that has opened, so that keys and screen readers continue there. */
export function useFocusedHeading(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return heading;
}

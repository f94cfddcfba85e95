import { type ComponentPropsWithoutRef, forwardRef, useContext } from "react";
import { PlaceContext } from "../data/inbox/host.js";

interface HeadingProps extends ComponentPropsWithoutRef<"h1"> {
  /** 0 for the heading of the call, 1 for that of a part, 2 inside of a part. */
  step?: 0 | 1 | 2;
}

/** A heading at the level that fits the page around the call. */
export const Heading = forwardRef<HTMLHeadingElement, HeadingProps>(function Heading(
  { step = 0, ...props },
  ref,
) {
  const Tag = `h${useContext(PlaceContext).levels[step]}` as "h1";
  return <Tag ref={ref} {...props} />;
});

import { type ReactNode, useContext, useId } from "react";
import { Heading } from "../components/heading.js";
import { PlaceContext } from "../data/inbox/host.js";

interface PartProps {
  className: string;
  title: string;
  children: ReactNode;
}

/** A part of an approval with a title. In a card it is no landmark, as a page may have many cards. */
export function Part({ className, title, children }: PartProps) {
  const inCard = useContext(PlaceContext).of === "card";
  const id = useId();
  return (
    <section className={className} {...(!inCard && { "aria-labelledby": id })}>
      <Heading step={1} id={id}>
        {title}
      </Heading>
      {children}
    </section>
  );
}

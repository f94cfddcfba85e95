import { type ReactNode, useContext, useId } from "react";
import { CardScope } from "../data/inbox/card-scope.js";

interface PartProps {
  className: string;
  title: string;
  children: ReactNode;
}

/** A part of an approval with a title. In a card it is no landmark, as a page may have many cards. */
export function Part({ className, title, children }: PartProps) {
  const inCard = useContext(CardScope) !== null;
  const id = useId();
  const Title = inCard ? "h4" : "h2";
  return (
    <section className={className} {...(!inCard && { "aria-labelledby": id })}>
      <Title id={id}>{title}</Title>
      {children}
    </section>
  );
}

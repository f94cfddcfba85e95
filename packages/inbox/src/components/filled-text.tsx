import { Fragment, type ReactNode } from "react";

/** A text of the catalogue with elements in the places that `{name}` marks, in the order of its language. */
export function FilledText({ text, parts }: { text: string; parts: Readonly<Record<string, ReactNode>> }) {
  // Odd pieces are the names between braces.
  return text.split(/\{(\w+)\}/).map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text have no other identity
    <Fragment key={index}>{index % 2 === 1 ? parts[piece] : piece}</Fragment>
  ));
}

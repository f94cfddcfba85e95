import type { ChatApproval } from "@countersign/chat/ai-sdk";
import { Children, createElement, isValidElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { CallCard } from "../../apps/next-example/components/call-card.js";

it("the example's card of a call shows two equal effects, each with a key of its own", () => {
  const effects = [{ target: "mail to a customer" }, { target: "mail to a customer" }];
  const call = {
    ...{ summary: "Send the mails", status: "pending", mayDecide: true, editedInput: null },
    preview: { failed: null, effects, reversible: false },
    counts: [],
  } as unknown as ChatApproval;
  let keys: (string | null)[] = [];
  const onCard = (card: ReactNode) => {
    keys = keysOfItems(card);
  };
  const html = renderToStaticMarkup(createElement(ReadCard, { call, onCard }));
  expect(html.match(/mail to a customer/g)).toHaveLength(2);
  expect([keys.length, new Set(keys).size]).toEqual([3, 3]);
});

/** Renders the card and hands over its elements, whose keys are not in the markup. */
function ReadCard({ call, onCard }: { call: ChatApproval; onCard: (card: ReactNode) => void }) {
  const card = CallCard({ call, onDecide: undefined });
  onCard(card);
  return card;
}

/** The keys of the list items in a rendered element. */
function keysOfItems(node: ReactNode): (string | null)[] {
  return Children.toArray(node).flatMap((child) => {
    if (!isValidElement<{ children?: ReactNode }>(child)) return [];
    return child.type === "li" ? [child.key] : keysOfItems(child.props.children);
  });
}

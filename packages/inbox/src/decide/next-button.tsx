import { useLocation, useSearch } from "wouter";
import { Button } from "../components/button.js";
import { useList } from "../data/approvals/use-list.js";
import { searchOf, viewOf } from "../logic/lists/view.js";
import { words } from "../words/words.js";

/** Opens the next pending approval. */
export function NextButton({ afterId }: { afterId: string }) {
  const view = viewOf(useSearch());
  const { items } = useList(view);
  const [, navigate] = useLocation();
  const next = items.find(({ id }) => id !== afterId);
  if (!next) return null;
  return (
    <Button command="next" onClick={() => navigate(`/approvals/${next.id}${searchOf(view)}`)}>
      {words.decide.next}
    </Button>
  );
}

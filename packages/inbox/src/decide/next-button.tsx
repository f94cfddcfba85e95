import { useLocation } from "wouter";
import { Button } from "../components/button.js";
import { usePending } from "../data/approvals/use-pending.js";

/** Opens the next pending approval. */
export function NextButton({ afterId }: { afterId: string }) {
  const { items } = usePending();
  const [, navigate] = useLocation();
  const next = items.find(({ id }) => id !== afterId);
  if (!next) return null;
  return (
    <Button shortcut="J" onClick={() => navigate(`/approvals/${next.id}`)}>
      Next
    </Button>
  );
}

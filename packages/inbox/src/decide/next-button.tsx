import { useLocation } from "wouter";
import { Button } from "../components/button.js";
import { useWaiting } from "../data/use-waiting.js";

/** On to the next that waits. */
export function NextButton({ afterId }: { afterId: string }) {
  const { items } = useWaiting();
  const [, navigate] = useLocation();
  const next = items.find(({ id }) => id !== afterId);
  if (!next) return null;
  return (
    <Button shortcut="J" onClick={() => navigate(`/approvals/${next.id}`)}>
      Next
    </Button>
  );
}

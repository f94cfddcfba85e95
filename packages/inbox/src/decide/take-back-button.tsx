import { Button } from "../components/button.js";
import { useTakeBack } from "../data/approvals/use-take-back.js";
import { useShortcuts } from "../keyboard/use-shortcuts.js";
import { words } from "../words/words.js";

/** Takes back what the reader has decided, before it takes effect. */
export function TakeBackButton({ id }: { id: string }) {
  const takeBack = useTakeBack();
  const run = () => void takeBack(id);
  useShortcuts({ u: run });
  return (
    <Button shortcut="U" onClick={run}>
      {words.decide.takeBack}
    </Button>
  );
}

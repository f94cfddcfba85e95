import { Button } from "../components/button.js";
import { useTakeBack } from "../data/approvals/use-take-back.js";
import { useCommands } from "../keyboard/use-commands.js";
import { words } from "../words/words.js";

/** Takes back what the reader has decided about the open call, before it takes effect. Its key is that of an undo after it. */
export function TakeBackButton({ id }: { id: string }) {
  const takeBack = useTakeBack();
  const run = () => void takeBack([id]);
  useCommands({ undo: run });
  return (
    <Button command="undo" onClick={run}>
      {words.decide.takeBack}
    </Button>
  );
}

import { Button } from "../components/button.js";
import { useTakeBack } from "../data/approvals/use-take-back.js";
import { useCommands } from "../keyboard/use-commands.js";
import { words } from "../words/words.js";

/** Takes back what the reader has decided, before it takes effect. */
export function TakeBackButton({ id }: { id: string }) {
  const takeBack = useTakeBack();
  const run = () => void takeBack(id);
  useCommands({ takeBack: run });
  return (
    <Button command="takeBack" onClick={run}>
      {words.decide.takeBack}
    </Button>
  );
}

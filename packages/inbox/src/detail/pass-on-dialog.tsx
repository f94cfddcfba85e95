import { useId, useState } from "react";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { ErrorNotice } from "../components/error-notice.js";
import { useMe } from "../data/use-me.js";
import { usePeople } from "../data/use-people.js";
import { usePeopleAction } from "../data/use-people-action.js";
import { peopleToChoose } from "../logic/people-to-choose.js";
import { DialogFrame } from "../shell/dialog-frame.js";
import { PersonChoice } from "./person-choice.js";

interface PassOnDialogProps {
  approval: Approval;
  onClose: () => void;
}

/** Says who should decide in the reader's place: one of those whom the host names, or whoever has an id. */
export default function PassOnDialog({ approval, onClose }: PassOnDialogProps) {
  const act = usePeopleAction(approval.id);
  const me = useMe().data?.principal?.id;
  const { data = [], isPending } = usePeople();
  const people = peopleToChoose(data, approval, me);
  const [chosen, setChosen] = useState<string>();
  const [typed, setTyped] = useState("");
  const id = useId();
  const typing = people.length === 0 || chosen === "";
  const to = (typing ? typed : (chosen ?? "")).trim();
  return (
    <DialogFrame title="Pass it on" onClose={onClose}>
      <form
        className="cs-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (to) act.mutate({ path: "assign", body: { to } }, { onSuccess: () => onClose() });
        }}
      >
        {isPending && (
          <p className="cs-dialog-words" role="status">
            Asking who there is
          </p>
        )}
        {people.length > 0 && <PersonChoice people={people} chosen={chosen} onChoose={setChosen} />}
        {!isPending && typing && (
          <label className="cs-panel-word" htmlFor={id}>
            <span>{people.length === 0 ? "Who should decide" : "Their id"}</span>
            <input
              id={id}
              className="cs-input"
              autoComplete="off"
              placeholder="Their id, such as lead"
              required
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </label>
        )}
        <p className="cs-dialog-words">
          {approval.delegable
            ? "They may then decide this, whatever their role. You may still decide it too."
            : "It is marked as theirs. Its rule still says who may decide."}
        </p>
        {act.isError && <ErrorNotice error={act.error} />}
        <div className="cs-decision-buttons">
          <span className="cs-spacer" />
          <Button type="submit" tone="primary" blocked={act.isPending ? "It is being passed on" : undefined}>
            Pass on
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}

import { useId, useState } from "react";
import type { Approval } from "../../api/approval.js";
import { Button } from "../../components/button.js";
import { DialogFrame } from "../../components/dialog-frame.js";
import { ErrorNotice } from "../../components/error-notice.js";
import { usePeopleAction } from "../../data/approvals/use-people-action.js";
import { useMe } from "../../data/people/use-me.js";
import { usePeople } from "../../data/people/use-people.js";
import { assignablePeople } from "../../logic/decisions/assignees.js";
import { words } from "../../words/words.js";
import { PersonPicker } from "./person-picker.js";

interface AssignDialogProps {
  approval: Approval;
  onClose: () => void;
}

/** Assigns an approval to one of the people whom the host lists, or to a person by id. */
export default function AssignDialog({ approval, onClose }: AssignDialogProps) {
  const act = usePeopleAction(approval.id);
  const me = useMe().data?.principal.id;
  const { data = [], isPending } = usePeople();
  const people = assignablePeople(data, approval, me);
  const [chosen, setChosen] = useState<string>();
  const [typed, setTyped] = useState("");
  const id = useId();
  const texts = words.detail.people.assign;
  const typing = people.length === 0 || chosen === "";
  const to = (typing ? typed : (chosen ?? "")).trim();
  return (
    <DialogFrame title={words.detail.people.reassign} onClose={onClose}>
      <form
        className="cs-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (to) act.mutate({ assignTo: to }, { onSuccess: () => onClose() });
        }}
      >
        {isPending && (
          <p className="cs-dialog-words" role="status">
            {texts.loading}
          </p>
        )}
        {people.length > 0 && <PersonPicker people={people} chosen={chosen} onChoose={setChosen} />}
        {!isPending && typing && (
          <label className="cs-panel-word" htmlFor={id}>
            <span>{people.length === 0 ? texts.to : texts.id}</span>
            <input
              id={id}
              className="cs-input"
              autoComplete="off"
              placeholder={texts.example}
              required
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </label>
        )}
        <p className="cs-dialog-words">{approval.delegable ? texts.delegates : texts.onlyShows}</p>
        {act.isError && <ErrorNotice error={act.error} />}
        <div className="cs-decision-buttons">
          <span className="cs-spacer" />
          <Button type="submit" tone="primary" blocked={act.isPending ? texts.sending : undefined}>
            {texts.submit}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}

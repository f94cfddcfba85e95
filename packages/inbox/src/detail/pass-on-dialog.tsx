import { useId, useState } from "react";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { ErrorNotice } from "../components/error-notice.js";
import { usePeopleAction } from "../data/use-people-action.js";
import { DialogFrame } from "../shell/dialog-frame.js";

interface PassOnDialogProps {
  approval: Approval;
  onClose: () => void;
}

/** Says who should decide in the reader's place. */
export default function PassOnDialog({ approval, onClose }: PassOnDialogProps) {
  const act = usePeopleAction(approval.id);
  const [to, setTo] = useState("");
  const id = useId();
  return (
    <DialogFrame title="Pass it on" onClose={onClose}>
      <form
        className="cs-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (to.trim())
            act.mutate({ path: "assign", body: { to: to.trim() } }, { onSuccess: () => onClose() });
        }}
      >
        <label className="cs-panel-word" htmlFor={id}>
          <span>Who should decide</span>
          <input
            id={id}
            className="cs-input"
            autoComplete="off"
            placeholder="Their id, such as lead"
            value={to}
            onChange={(event) => setTo(event.target.value)}
          />
        </label>
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

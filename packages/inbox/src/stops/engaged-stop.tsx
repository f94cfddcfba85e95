import { useEffect, useId, useRef, useState } from "react";
import type { Stop } from "../api/records.js";
import { Button } from "../components/button.js";
import { ErrorNotice } from "../components/error-notice.js";
import { FilledText } from "../components/filled-text.js";
import { SafeText } from "../components/safe-text.js";
import { maxReasonLength, useReleaseStop } from "../data/approvals/use-stops.js";
import { exactTime } from "../logic/wording/exact-time.js";
import { coveredText } from "../logic/wording/stop-text.js";
import { words } from "../words/words.js";

/** One active stop, with a form that releases it. */
export function EngagedStop({ stop }: { stop: Stop }) {
  const release = useReleaseStop();
  const [asking, setAsking] = useState(false);
  const [reason, setReason] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    if (asking) field.current?.focus();
  }, [asking]);
  const covered = coveredText(stop.tool);
  return (
    <li>
      <div className="cs-stop">
        <span>
          <strong>
            <SafeText text={stop.tool === "*" ? words.stops.draft.all : covered} />
          </strong>{" "}
          <SafeText text={stop.reason} />
          <small>
            <FilledText
              text={stop.allTenants ? words.stops.engagedForAll : words.stops.engaged}
              parts={{ who: <SafeText text={stop.engagedBy} />, time: exactTime(stop.engagedAt) }}
            />
          </small>
        </span>
        {stop.mayRelease && !asking && (
          <Button aria-label={words.stops.releaseOf(covered)} onClick={() => setAsking(true)}>
            {words.stops.release}
          </Button>
        )}
      </div>
      {asking && (
        <form
          className="cs-form"
          aria-label={words.stops.releaseOf(covered)}
          onSubmit={(event) => {
            event.preventDefault();
            if (!release.isPending) release.mutate({ id: stop.id, reason });
          }}
        >
          <label className="cs-panel-word" htmlFor={id}>
            <span>{words.stops.releaseReason}</span>
            <input
              ref={field}
              id={id}
              className="cs-input"
              autoComplete="off"
              required
              maxLength={maxReasonLength}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          </label>
          {release.isError && <ErrorNotice error={release.error} />}
          <div className="cs-decision-buttons">
            <span className="cs-spacer" />
            <Button tone="quiet" onClick={() => setAsking(false)}>
              {words.common.cancel}
            </Button>
            <Button
              type="submit"
              tone="primary"
              blocked={release.isPending ? words.stops.releasing : undefined}
            >
              {words.stops.release}
            </Button>
          </div>
        </form>
      )}
    </li>
  );
}

import { useLocation } from "wouter";
import { type Period, periods } from "../logic/insight/insight-rows.js";
import { words } from "../words/words.js";

/** Chooses the period. It is in the address, so that a link leads back to it. */
export function PeriodChoice({ days }: { days: Period }) {
  const [, navigate] = useLocation();
  return (
    <fieldset className="cs-segments">
      <legend className="cs-visually-hidden">{words.insight.period}</legend>
      {periods.map((period) => (
        <label key={period}>
          <input
            type="radio"
            name="period"
            value={period}
            checked={period === days}
            onChange={() => navigate(`/insight?days=${period}`, { replace: true })}
          />
          {words.insight.days(period)}
        </label>
      ))}
    </fieldset>
  );
}

import { useNow } from "../data/use-now.js";
import { useFirstPaintOver } from "../late/use-first-paint-over.js";
import { countdown } from "../logic/countdown.js";
import { exactTime } from "../logic/exact-time.js";

interface CountdownRingProps {
  /** ISO dates. */
  from: string;
  until: string;
}

const radius = 6;
const round = 2 * Math.PI * radius;

/** How long there is left to decide, as a ring and in words, by the server's clock. */
export function CountdownRing({ from, until }: CountdownRingProps) {
  const now = useNow();
  const { fraction, words, tone } = countdown(Date.parse(from), Date.parse(until), now);
  // The browser takes long for the first time in the reader's language, longer than for the rest of the list.
  const exact = useFirstPaintOver() ? `Until ${exactTime(until)}` : undefined;
  return (
    <time className="cs-countdown" data-tone={tone} dateTime={until} title={exact}>
      <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        <circle className="cs-ring-track" cx="8" cy="8" r={radius} />
        <circle
          className="cs-ring"
          cx="8"
          cy="8"
          r={radius}
          strokeDasharray={round}
          strokeDashoffset={round * (1 - fraction)}
        />
      </svg>
      <span>{words}</span>
      {exact !== undefined && <span className="cs-unseen">, {exact}</span>}
    </time>
  );
}

import { useAfterFirstPaint } from "../data/browser/use-after-first-paint.js";
import { useNow } from "../data/browser/use-now.js";
import { countdown } from "../logic/wording/countdown.js";
import { exactTime } from "../logic/wording/exact-time.js";

interface CountdownRingProps {
  /** ISO dates. */
  from: string;
  until: string;
  /** Leaves out the word "left", which rows have no room for. @default false */
  brief?: boolean;
}

const radius = 6;
const round = 2 * Math.PI * radius;

/** The time left to decide, as a ring and as text, by the server's clock. */
export function CountdownRing({ from, until, brief = false }: CountdownRingProps) {
  const now = useNow();
  const { fraction, text, tone } = countdown(Date.parse(from), Date.parse(until), now);
  // Formatting the first localized time is slower than painting the list, so it waits until after the first paint.
  const exact = useAfterFirstPaint() ? `Expires ${exactTime(until, now, "zone")}` : undefined;
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
      <span>{brief ? text.replace(/ left$/, "") : text}</span>
      {brief && <span className="cs-visually-hidden"> left</span>}
      {exact !== undefined && <span className="cs-visually-hidden">, {exact}</span>}
    </time>
  );
}

import { useAfterFirstPaint } from "../data/browser/use-after-first-paint.js";
import { useNow } from "../data/browser/use-now.js";
import { countdown, leftText } from "../logic/wording/countdown.js";
import { exactTime } from "../logic/wording/exact-time.js";
import { words } from "../words/words.js";

interface CountdownRingProps {
  /** ISO dates. */
  from: string;
  until: string;
  /** Shows only the duration, because rows have no room for more. @default false */
  brief?: boolean;
}

const radius = 6;
const round = 2 * Math.PI * radius;

/** The time left to decide, as a ring and as text, by the server's clock. */
export function CountdownRing({ from, until, brief = false }: CountdownRingProps) {
  const now = useNow();
  const { leftMs, fraction, text, tone } = countdown(Date.parse(from), Date.parse(until), now);
  // Formatting the first localized time is slower than painting the list, so it waits until after the first paint.
  const exact = useAfterFirstPaint() ? words.time.expires(exactTime(until, now, "zone")) : undefined;
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
      {brief && leftMs > 0 ? <BriefText text={text} duration={leftText(leftMs)} /> : <span>{text}</span>}
      {exact !== undefined && <span className="cs-visually-hidden">, {exact}</span>}
    </time>
  );
}

/** A duration, and unseen the words around it. */
function BriefText({ text, duration }: { text: string; duration: string }) {
  const [before, after] = text.split(duration);
  return (
    <>
      {before && <span className="cs-visually-hidden">{before}</span>}
      <span>{duration}</span>
      {after && <span className="cs-visually-hidden">{after}</span>}
    </>
  );
}

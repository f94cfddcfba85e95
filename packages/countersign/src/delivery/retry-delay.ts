import { dayMs } from "@countersign/policy/internal/shared/duration";
import type { Channel } from "../channel/channel.js";

const firstRetryMs = 5_000;
const maxRetryMs = 300_000;
/** Maximum share of the time left for a decision that a default pause takes. */
const maxShare = 0.25;
const maxRetryAfterMs = dayMs;
/** With the default pauses, this many failures take about a day. */
const maxFailures = 294;
/** Pauses of a channel may be random, so its attempts end a little before all of them have passed. */
const scheduleShare = 0.9;

interface FailedAttempts {
  /** Failures since the last success, at least 1. */
  failures: number;
  /** Milliseconds since the event, or since somebody last asked for another attempt. */
  waitedMs: number;
  /** Milliseconds that people have left to decide; `null` if the call is over or does not expire. */
  leftMs: number | null;
  /** The pause that the server asks for. */
  retryAfterMs?: number | undefined;
}

/**
 * The pause after a failure, by the channel's own schedule or the default one. It is longer if the server asks for a
 * longer one. `null` gives up.
 */
export function retryDelayMs(
  channel: Channel,
  { failures, waitedMs, leftMs, retryAfterMs = 0 }: FailedAttempts,
): number | null {
  const byChannel = channel.retryDelayMs?.bind(channel);
  const planned = lastingPause(byChannel ?? defaultRetryDelayMs, failures, waitedMs);
  if (planned === null) return null;
  // A call past its deadline is about to be closed.
  const max =
    byChannel || leftMs === null || leftMs <= 0
      ? planned
      : Math.max(firstRetryMs, Math.round(leftMs * maxShare));
  return Math.max(Math.min(planned, max), Math.min(retryAfterMs, maxRetryAfterMs), 0);
}

/** Milliseconds until the next attempt after some failures: 5 s doubling up to five minutes, for about a day. */
function defaultRetryDelayMs(failures: number): number | null {
  if (failures > maxFailures) return null;
  return Math.min(firstRetryMs * 2 ** Math.min(failures - 1, 30), maxRetryMs);
}

/**
 * The pause of a schedule after this many failures. Other messages that arrive cause additional attempts, so after its
 * last attempt a schedule repeats its last pause until the time of the whole schedule has passed.
 */
function lastingPause(
  schedule: (failures: number) => number | null,
  failures: number,
  waitedMs: number,
): number | null {
  const pause = finite(schedule(failures));
  if (pause !== null) return pause;
  let last: number | null = null;
  let total = 0;
  for (let count = 1; count < failures; count++) {
    const earlier = finite(schedule(count));
    if (earlier === null) break;
    last = earlier;
    total += earlier;
  }
  return waitedMs < total * scheduleShare ? last : null;
}

function finite(pause: number | null): number | null {
  return pause !== null && Number.isFinite(pause) ? pause : null;
}

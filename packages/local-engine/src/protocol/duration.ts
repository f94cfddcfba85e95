import ms from "ms";

const UNITS: Record<string, number> = {
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
};

/**
 * Parses a duration to milliseconds: the SDK's compound form (`"1d2h30m"`, an empty string for none), or anything that
 * the `ms` package accepts (`"30 minutes"`). Throws for other texts.
 */
export function parseDuration(text: string): number {
  if (text === "") return 0;
  if (/^(?:\d+(?:\.\d+)?(?:ms|[wdhms]))+$/.test(text)) {
    let total = 0;
    for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[wdhms])/g)) {
      total += Number(amount) * (UNITS[unit ?? ""] ?? Number.NaN);
    }
    return total;
  }
  const parsed = ms(text as ms.StringValue) as number | undefined;
  if (parsed === undefined || !Number.isFinite(parsed)) throw new Error(`Not a duration: "${text}"`);
  return parsed;
}

/** The time that a duration from `now` or an ISO date stands for. */
export function parseDeadline(text: string, now: number): number {
  if (/^\d{4}-\d{2}-\d{2}T/.test(text)) {
    const at = Date.parse(text);
    if (Number.isFinite(at)) return at;
  }
  return now + parseDuration(text);
}

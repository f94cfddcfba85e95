const maxTarget = 200;

/** The text, cut to `max` UTF-16 code units, with a mark if anything was cut. */
export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** What changes, as long as an effect may name it. */
export function shortTarget(text: string): string {
  return shortened(text, maxTarget);
}

/** A time zone in which it is about noon, so that no new day begins during a test. */
export function zoneOfNoon(): string {
  const behind = new Date().getUTCHours() - 12;
  // The signs of these names are the reverse of the usual ones.
  return `Etc/GMT${behind < 0 ? "" : "+"}${behind}`;
}

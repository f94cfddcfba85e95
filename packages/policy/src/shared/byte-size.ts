/** Size of a text in UTF-8 bytes, the unit of all size limits. */
export const bytesOf = (text: string): number => Buffer.byteLength(text);

const units = ["bytes", "kB", "MB", "GB"] as const;

/** Formats a size for display: `"512 bytes"`, `"1.0 MB"`. */
export function sizeText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1000 ** power).toFixed(1)} ${units[power]}`;
}

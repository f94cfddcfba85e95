/** True if one of the opened paths is the field or contains it; `*` matches any one key. */
export function isOpened(field: string, opened: readonly string[]): boolean {
  const parts = field.split(".");
  return opened.some((path) => {
    const wanted = path.split(".");
    return wanted.length <= parts.length && wanted.every((key, index) => key === "*" || key === parts[index]);
  });
}

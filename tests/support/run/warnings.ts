const taken: RegExp[] = [];

/** Says that the product prints such a warning in this test, on purpose: a green run prints none. */
export function takeWarning(pattern: RegExp): void {
  taken.push(pattern);
}

/** Whether what is printed is a warning that the test takes. */
export function isTaken([message]: unknown[]): boolean {
  return taken.some((pattern) => pattern.test(String(message)));
}

export function takeNoMore(): void {
  taken.length = 0;
}

/** Moves the focus from a search field to the list that it searches. Without rows, single keys act again. */
export function leaveSearch(field: HTMLElement): void {
  const row = field.closest(".cs-list-pane")?.querySelector<HTMLElement>('[data-row][tabindex="0"]');
  if (row) row.focus();
  else field.blur();
}

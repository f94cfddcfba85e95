let stopWaiting = () => {};

/** Focuses a call's card and scrolls to it, as soon as the card is there, unless the reader does something else first. */
export function showCard(approvalId: string): void {
  stopWaiting();
  if (focusCard(approvalId)) return;
  const observer = new MutationObserver(() => {
    if (focusCard(approvalId)) stopWaiting();
  });
  const readerActed = new AbortController();
  stopWaiting = () => {
    observer.disconnect();
    readerActed.abort();
  };
  observer.observe(document.body, { childList: true, subtree: true });
  for (const event of ["keydown", "pointerdown"]) {
    document.addEventListener(event, () => stopWaiting(), { capture: true, signal: readerActed.signal });
  }
}

function focusCard(approvalId: string): boolean {
  const card = document.querySelector<HTMLElement>(`[data-approval="${CSS.escape(approvalId)}"]`);
  card?.focus();
  card?.scrollIntoView({ block: "nearest" });
  return card !== null;
}

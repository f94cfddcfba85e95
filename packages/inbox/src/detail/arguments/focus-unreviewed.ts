/** In the order in which they are shown. */
const kinds = ["fold", "warning", "below"];

/** Scrolls the first unreviewed place into view and focuses it, after the next render. */
export function focusUnreviewed(approvalId: string): void {
  const facts = `[data-approval="${CSS.escape(approvalId)}"] .cs-facts`;
  // Looked up now, because opening a place marks it as reviewed.
  const [found] = kinds.flatMap(
    (kind) => document.querySelector<HTMLElement>(`${facts} [data-unreviewed="${kind}"]`) ?? [],
  );
  requestAnimationFrame(() => {
    const target =
      found?.isConnected === true ? found : document.querySelector<HTMLElement>(`${facts} [data-unreviewed]`);
    if (!target) return;
    target.scrollIntoView({ block: "center" });
    const control = target.matches("button")
      ? target
      : target.closest<HTMLElement>(".cs-detail-body, .cs-card-body");
    control?.focus({ preventScroll: true });
  });
}

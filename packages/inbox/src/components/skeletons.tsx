import { words } from "../words/words.js";

/** Placeholders for rows, as tall as the rows. */
export function RowSkeletons({ count = 6 }: { count?: number }) {
  return (
    <div className="cs-skeletons" role="status" aria-label={words.common.loading}>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <div className="cs-row-skeleton" key={index}>
          <i />
          <i />
          <i />
        </div>
      ))}
    </div>
  );
}

/** A placeholder for an approval. */
export function DetailSkeleton() {
  return (
    <div className="cs-detail-skeleton" role="status" aria-label={words.common.loadingApproval}>
      <i />
      <i />
      <i />
      <i />
      <i />
    </div>
  );
}

/** A placeholder for a card. */
export function CardSkeleton() {
  return (
    <div className="cs-card cs-detail-skeleton" role="status" aria-label={words.common.loadingApproval}>
      <i />
      <i />
      <i />
    </div>
  );
}

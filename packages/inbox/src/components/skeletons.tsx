/** Rows that are being loaded, as tall as the real ones. */
export function RowSkeletons({ count = 6 }: { count?: number }) {
  return (
    <div className="cs-skeletons" role="status" aria-label="Loading">
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

/** An approval that is being loaded. */
export function DetailSkeleton() {
  return (
    <div className="cs-detail-skeleton" role="status" aria-label="Loading the approval">
      <i />
      <i />
      <i />
      <i />
      <i />
    </div>
  );
}

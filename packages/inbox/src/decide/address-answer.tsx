/** Says what the reader does next about an address: open it, or confirm that it was opened. */
export function AddressAnswer({ host, opened }: { host: string; opened: boolean }) {
  return (
    <p className="cs-hint" role="status">
      {opened
        ? `You opened ${host}. Do there what it asks, then confirm it here.`
        : `Open ${host} above first. Then confirm it here.`}
    </p>
  );
}

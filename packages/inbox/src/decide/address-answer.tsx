import { words } from "../words/words.js";

/** Says what the reader does next about an address: open it, or confirm that it was opened. */
export function AddressAnswer({ host, opened }: { host: string; opened: boolean }) {
  return (
    <p className="cs-hint" role="status">
      {opened ? words.decide.address.opened(host) : words.decide.address.open(host)}
    </p>
  );
}

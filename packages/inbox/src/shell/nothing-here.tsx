import { Link } from "wouter";
import { EmptyState } from "../components/empty-state.js";
import { useTitle } from "../data/browser/use-title.js";

/** Shown for an address of the inbox that does not exist. */
export default function NothingHere() {
  useTitle("Nothing here");
  return (
    <section className="cs-page" aria-label="Nothing here">
      <EmptyState alone title="Nothing here">
        <p>The inbox has no page at this address.</p>
        <p>
          <Link className="cs-button" href="/">
            Go to the approvals
          </Link>
        </p>
      </EmptyState>
    </section>
  );
}

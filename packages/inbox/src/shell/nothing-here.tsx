import { Link } from "wouter";
import { EmptyState } from "../components/empty-state.js";
import { useTitle } from "../data/browser/use-title.js";
import { words } from "../words/words.js";

/** Shown for an address of the inbox that does not exist. */
export default function NothingHere() {
  const { title, why, back } = words.page.nothingHere;
  useTitle(title);
  return (
    <section className="cs-page" aria-label={title}>
      <EmptyState alone title={title}>
        <p>{why}</p>
        <p>
          <Link className="cs-button" href="/">
            {back}
          </Link>
        </p>
      </EmptyState>
    </section>
  );
}

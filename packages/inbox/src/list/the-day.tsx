import { Link } from "wouter";
import { countText, useCounts, useDecidedToday } from "../data/approvals/use-counts.js";
import { decidedTodaySearch } from "../logic/lists/history-query.js";
import { searchOf } from "../logic/lists/view.js";
import { words } from "../words/words.js";

/**
 * Leads to what the reader has decided today, and to what others must still decide, if there is any. Empty until both
 * numbers are there: a link that moves while a hand is on its way to it is missed.
 */
export function TheDay() {
  const today = useDecidedToday();
  const counts = useCounts();
  const decided = today.data ?? 0;
  const waiting = counts.data?.lists.waiting ?? 0;
  if (today.isPending || counts.isPending || decided + waiting === 0) return null;
  const { decidedToday, waitForOthers } = words.lists;
  return (
    <p>
      {decided > 0 && (
        <Link href={`/history${decidedTodaySearch}`}>{decidedToday(countText(decided) ?? "")}</Link>
      )}
      {decided > 0 && waiting > 0 && ", "}
      {waiting > 0 && (
        <Link href={`/${searchOf({ list: "waiting", text: "" })}`}>{waitForOthers(waiting)}</Link>
      )}
    </p>
  );
}

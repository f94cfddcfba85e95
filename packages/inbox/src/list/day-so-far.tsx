import { useSearch } from "wouter";
import { EmptyState } from "../components/empty-state.js";
import { FilledText } from "../components/filled-text.js";
import { KeyName } from "../components/kbd.js";
import { countText, useCounts } from "../data/approvals/use-counts.js";
import { viewOf } from "../logic/lists/view.js";
import { words } from "../words/words.js";
import { TheDay } from "./the-day.js";

/** Beside a list while no call is open: what waits for the reader, what has been done today, and how to go on. */
export default function DaySoFar() {
  const { list } = viewOf(useSearch());
  const waiting = countText(useCounts().data?.lists.for_you);
  if (waiting === undefined || waiting === "0") return null;
  const { waitForYou, start } = words.lists.day;
  return (
    <EmptyState title={waitForYou(waiting)}>
      <TheDay />
      {list === "for_you" && (
        <p>
          <FilledText text={start} parts={{ key: <KeyName of="next" /> }} />
        </p>
      )}
    </EmptyState>
  );
}

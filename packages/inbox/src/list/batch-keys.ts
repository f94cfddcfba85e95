import type { KeyboardEvent } from "react";
import type { Choice } from "../logic/lists/batch-plan.js";
import type { BatchControls } from "./batch-controls.js";

/**
 * The keys of a table: arrows move between rows and cells, the space bar leaves a call out, D denies it, Enter opens it, and a
 * number chooses the reason for denying. They act on the focused row or cell only, and only move the focus once the decisions are
 * sent. A key that is held down moves the focus, and does nothing else more than once.
 */
export function batchKeys({
  choices,
  isFixed,
  onChoose,
  onReasonKey,
  onOpen,
}: Pick<BatchControls, "choices" | "isFixed" | "onChoose" | "onReasonKey" | "onOpen">) {
  return (event: KeyboardEvent<HTMLTableSectionElement>): void => {
    const { target, repeat } = event;
    if (!(target instanceof HTMLElement) || !target.matches("tr, td")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = target.closest("tr");
    if (!row) return;
    const key = event.key.toLowerCase();
    const id = row.dataset.id ?? "";
    const toggle = (choice: Choice, other: Choice) =>
      onChoose(id, choices.get(id) === choice ? other : choice);
    const act = (): boolean => {
      if (moveFocus(row, target, event.key)) return true;
      const isIdle = isFixed || repeat;
      if (key === " ") {
        if (!isIdle) toggle("approve", "leave");
      } else if (key === "d") {
        if (!isIdle) toggle("deny", "leave");
      } else if (key === "enter") {
        if (!repeat) onOpen(id);
      } else return !isIdle && onReasonKey(key);
      return true;
    };
    if (act()) event.preventDefault();
  };
}

function moveFocus(row: HTMLTableRowElement, from: HTMLElement, key: string): boolean {
  const cells = cellsOf(row);
  const column = cells.indexOf(from);
  switch (key) {
    case "ArrowDown":
    case "ArrowUp": {
      const other = key === "ArrowDown" ? row.nextElementSibling : row.previousElementSibling;
      if (other instanceof HTMLTableRowElement) (cellsOf(other)[column] ?? other).focus();
      return true;
    }
    case "ArrowRight":
      cells[column + 1]?.focus();
      return true;
    case "ArrowLeft":
      (cells[column - 1] ?? row).focus();
      return true;
    default:
      return false;
  }
}

/** The cells with values. */
function cellsOf(row: HTMLTableRowElement): HTMLElement[] {
  return [...row.cells].filter((cell) => cell.dataset.column !== undefined);
}

import { type ComponentType, type LazyExoticComponent, lazy } from "react";

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

const later: (() => Promise<unknown>)[] = [];
let loading = false;

/** A part of the page that its first view does not need. Show it within `Late`. */
export function latePart<Props>(load: Load<Props>): LazyExoticComponent<ComponentType<Props>> {
  if (loading) begin(load);
  else later.push(load);
  return lazy(load);
}

/** Loads them all: called once the first view is there, so that none is missing when the server has gone. */
export function loadLateParts(): void {
  loading = true;
  for (const load of later.splice(0)) begin(load);
}

/** What fails here is tried again, and told of, where it is shown. */
function begin(load: () => Promise<unknown>): void {
  void load().catch(() => undefined);
}

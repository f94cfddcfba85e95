import { type ComponentType, type LazyExoticComponent, lazy } from "react";

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

const later: (() => Promise<unknown>)[] = [];
let loading = false;

/** A part of the page that the first view does not need. Render it within `LazyBoundary`. */
export function lazyPart<Props>(load: Load<Props>): LazyExoticComponent<ComponentType<Props>> {
  if (loading) begin(load);
  else later.push(load);
  return lazy(load);
}

/** Loads all lazy parts. Called after the first view, so that they are there if the server becomes unreachable. */
export function loadLazyParts(): void {
  loading = true;
  for (const load of later.splice(0)) begin(load);
}

/** Starts loading a part. A failure is retried and shown where the part is rendered. */
function begin(load: () => Promise<unknown>): void {
  void load().catch(() => undefined);
}

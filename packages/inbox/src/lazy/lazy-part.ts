import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import { loadPatiently } from "./load-patiently.js";

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

const later: (() => Promise<unknown>)[] = [];
let loading = false;

/** A part of the page that the first view does not need. Render it within `LazyBoundary`. */
export function lazyPart<Props>(load: Load<Props>): LazyExoticComponent<ComponentType<Props>> {
  if (loading) begin(load);
  else later.push(load);
  return lazy(load);
}

/** A part that the page shows unasked after the first view. Until it is loaded, nothing stands in its place. */
export function backgroundPart<Props>(load: Load<Props>): LazyExoticComponent<ComponentType<Props>> {
  let loaded: ReturnType<Load<Props>> | undefined;
  return lazyPart(() => (loaded ??= loadPatiently(load)));
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

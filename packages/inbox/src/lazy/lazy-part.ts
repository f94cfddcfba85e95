import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import { loadAllEnglish } from "../words/english.js";
import { loadPatiently } from "./load-patiently.js";

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

const later: (() => Promise<unknown>)[] = [];
let loading = false;

/** A part of the page that the first view does not need, with its texts. Render it within `LazyBoundary`. */
export function lazyPart<Props>(load: Load<Props>): LazyExoticComponent<ComponentType<Props>> {
  const loadWithTexts = async () => {
    const [part] = await Promise.all([load(), loadAllEnglish()]);
    return part;
  };
  if (loading) begin(loadWithTexts);
  else later.push(loadWithTexts);
  return lazy(loadWithTexts);
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

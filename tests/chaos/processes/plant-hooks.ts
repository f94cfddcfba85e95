import type { LoadHook } from "node:module";
import { holds, isPlantName, type Plant, planted, plants } from "../plants.js";

let plant: Plant | undefined;

/** Called by Node with the name of the bug. */
export function initialize(name: string): void {
  if (!isPlantName(name)) throw new Error(`There is no plant "${name}"`);
  plant = plants[name];
}

/** Called by Node for each module. */
export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  if (!plant || !url.includes("/packages/countersign/dist/")) return loaded;
  const built = String(loaded.source);
  return holds(plant, built) ? { ...loaded, source: planted(plant, built) } : loaded;
};

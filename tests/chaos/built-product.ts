import { readdirSync, readFileSync } from "node:fs";
import { holds, type Plant, planted } from "./plants.js";

/** @throws if the bug does not fit the product as it is built. */
export function requireFit(plant: Plant): void {
  const folder = new URL(".", import.meta.resolve("countersign"));
  const built = readdirSync(folder)
    .filter((file) => file.endsWith(".js"))
    .map((file) => readFileSync(new URL(file, folder), "utf8"));
  const holding = built.filter((text) => holds(plant, text));
  if (holding.length !== 1) throw new Error(`${holding.length} built files hold ${plant.module}`);
  for (const text of holding) planted(plant, text);
}

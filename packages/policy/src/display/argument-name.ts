/** What people read in place of arguments' names, by their paths, as the rules say. */
export type ArgumentNames = Readonly<Record<string, string>>;

/**
 * The name that the rules give an argument or what holds it, such as "Customer › email"; `undefined` without one. A key with
 * a dot only looks like a path, so neither it nor what it holds has a name.
 *
 * @example
 * ```ts
 * import { argumentName } from "@countersign/policy/display";
 *
 * export const name = argumentName(["customer", "email"], { customer: "Customer" }); // Customer › email
 * ```
 */
export function argumentName(
  keys: readonly string[],
  names: ArgumentNames,
  shownKey: (key: string) => string = (key) => key,
): string | undefined {
  for (let length = keys.length; length > 0; length -= 1) {
    const above = keys.slice(0, length);
    const path = above.join(".");
    if (Object.hasOwn(names, path) && !above.some((key) => key.includes("."))) {
      return [names[path], ...keys.slice(length).map(shownKey)].join(" › ");
    }
  }
  return undefined;
}

/** A key as words: "order id" for `orderId` and `order_id`. */
export function keyWords(key: string): string {
  const text = key.replace(/[_-]+/g, " ").replace(/([a-z\d])([A-Z])/g, "$1 $2");
  return text.toLowerCase();
}

/**
 * The same for all arguments of a call. Where a name also stands for another argument, its path is beside it: an argument that
 * the model has invented cannot pass for a named one.
 */
export function argumentNames(
  all: readonly (readonly string[])[],
  names: ArgumentNames,
  shownKey?: (key: string) => string,
): (string | undefined)[] {
  const named = all.map((keys) => argumentName(keys, names, shownKey));
  const shown = all.map((keys, at) => (named[at] ?? keys.join(".")).toLowerCase());
  const times = new Map<string, number>();
  for (const text of shown) times.set(text, (times.get(text) ?? 0) + 1);
  return named.map((name, at) =>
    name !== undefined && times.get(shown[at] ?? "") !== 1 ? `${name} (${all[at]?.join(".")})` : name,
  );
}

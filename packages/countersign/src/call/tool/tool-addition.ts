/** What apps add to a tool, such as a mark, under a key that all copies of this package know. */
export interface ToolAddition<Value> {
  /** What the tool has; `undefined` without it. */
  of(this: void, tool: object): Value | undefined;
  add<T extends object>(this: void, tool: T, value: Value): T;
  /** Lets another form of a tool have what the tool has: what either of them gets, also later. */
  share(this: void, form: object, tool: object): void;
}

/** @param otherwise What a tool has to which nothing was added. @default nothing */
export function toolAddition<Value>(
  name: string,
  otherwise: (tool: object) => Value | undefined = () => undefined,
): ToolAddition<Value> {
  const key = Symbol.for(`countersign:${name}`);
  const of = (tool: object): Value | undefined => Reflect.get(tool, key) ?? otherwise(tool);
  const add = <T extends object>(tool: T, value: Value): T => Object.assign(tool, { [key]: value });
  return {
    of,
    add,
    share(form, tool) {
      const set = (value: Value) => void add(tool, value);
      Object.defineProperty(form, key, { configurable: true, enumerable: true, get: () => of(tool), set });
    },
  };
}

import { afterAll } from "vitest";

/** What the tests of a file share: opened by the first that needs it, and closed after the last. */
export function shared<T extends AsyncDisposable>(open: () => Promise<T>): () => Promise<T> {
  let opening: Promise<T> | undefined;
  afterAll(async () => {
    const opened = await opening;
    await opened?.[Symbol.asyncDispose]();
  });
  return () => {
    opening ??= open();
    return opening;
  };
}

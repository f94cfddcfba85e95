import type { Visitor } from "./visitor.js";

/**
 * Ends the session with the next request to `path`. If it ended before, a request in the background could notice it first:
 * then a dialog covers what the test is about to do.
 */
export async function endSessionAt({ page, context }: Visitor, path: string): Promise<void> {
  await page.route(
    path,
    async (route) => {
      await context.clearCookies();
      await route.continue();
    },
    { times: 1 },
  );
}

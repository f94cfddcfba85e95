import type { Page } from "playwright-core";

/** Holds the requests of a page to matching addresses back until they are released. */
export async function holdBack(page: Page, address: string) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    await released;
    await route.continue();
  });
  return { arrived: page.waitForRequest(address), release };
}

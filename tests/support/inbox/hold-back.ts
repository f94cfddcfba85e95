import type { Page, Route } from "playwright-core";

/** Holds the requests of a page to matching addresses back until they are released. */
export async function holdBack(page: Page, address: string) {
  const release = await hold(page, address, async (route, released) => {
    await released;
    await route.continue();
  });
  return { arrived: page.waitForRequest(address), release };
}

/** Holds only the answers back: the server acts at once. */
export function holdAnswers(page: Page, address: string): Promise<() => void> {
  return hold(page, address, async (route, released) => {
    const response = await route.fetch();
    await released;
    await route.fulfill({ response });
  });
}

async function hold(
  page: Page,
  address: string,
  answer: (route: Route, released: Promise<void>) => Promise<void>,
): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, (route) => answer(route, released));
  return release;
}

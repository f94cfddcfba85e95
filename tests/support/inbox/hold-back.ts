import type { Page, Route } from "playwright-core";

/** Holds the requests of a page to matching addresses back until they are released. */
export async function holdBack(page: Page, address: string | RegExp) {
  const release = await hold(page, address, async (route, released) => {
    await released;
    await route.continue();
  });
  return { arrived: page.waitForRequest(address), release };
}

/** Holds only the answers back: the server acts at once, and `answered` resolves once it has. */
export async function holdAnswers(page: Page, address: string | RegExp) {
  let first = () => {};
  const answered = new Promise<void>((resolve) => {
    first = resolve;
  });
  const release = await hold(page, address, async (route, released) => {
    // The page may be closed meanwhile, or may no longer wait for it.
    const response = await route.fetch().catch(() => undefined);
    if (!response) return;
    first();
    await released;
    await route.fulfill({ response }).catch(() => {});
  });
  return { answered, release };
}

/** In the page: once it has nothing left to do, and its window shows so. */
const shown =
  "new Promise((done) => requestIdleCallback(() => requestAnimationFrame(() => requestAnimationFrame(done))))";

/**
 * Lets the answers of the API reach the page one by one, each once the page has nothing left to do, and of those that are
 * under way the last one first. `look` sees the page before each of them.
 */
export async function delayAnswers(page: Page, look: () => Promise<void>): Promise<void> {
  const held: (() => void)[] = [];
  let releasing = false;
  const release = async () => {
    if (releasing) return;
    releasing = true;
    while (held.length > 0) {
      await page.evaluate(shown).then(look, () => {});
      held.pop()?.();
    }
    releasing = false;
  };
  await page.route(/\/api\/(?!events)/, async (route) => {
    const response = await route.fetch().catch(() => undefined);
    if (!response) return route.abort();
    await new Promise<void>((resolve) => {
      held.push(resolve);
      void release();
    });
    await route.fulfill({ response }).catch(() => {});
  });
}

async function hold(
  page: Page,
  address: string | RegExp,
  answer: (route: Route, released: Promise<void>) => Promise<void>,
): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, (route) => answer(route, released));
  return release;
}

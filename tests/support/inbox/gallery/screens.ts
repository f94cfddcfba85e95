import type { Page } from "playwright-core";

/** How a page is looked at. An enlarged page has as much less room; one who enlarges it to 400 % sees 360 × 225 px of it. */
export interface Screen {
  name: string;
  width: number;
  height: number;
  colorScheme?: "dark";
  forcedColors?: "active";
  /** The direction of the page's language. @default "ltr" */
  direction?: "ltr" | "rtl";
  /** What axe looks at: each of its rules, or only contrast, which is another in each colours and layout. @default nothing */
  axe?: "rules" | "contrast";
}

export const screens: readonly Screen[] = [
  { name: "1440", width: 1440, height: 900, axe: "rules" },
  { name: "1440-dark", width: 1440, height: 900, colorScheme: "dark", axe: "contrast" },
  { name: "1440-forced-colours", width: 1440, height: 900, forcedColors: "active" },
  { name: "1440-right-to-left", width: 1440, height: 900, direction: "rtl" },
  { name: "1024", width: 1024, height: 768 },
  { name: "768-dark", width: 768, height: 1024, colorScheme: "dark" },
  { name: "390", width: 390, height: 844, axe: "contrast" },
  { name: "390-dark", width: 390, height: 844, colorScheme: "dark", axe: "contrast" },
  { name: "zoom-200", width: 720, height: 450 },
  { name: "zoom-400", width: 360, height: 225 },
];

/** Shows an open page on a screen. */
export async function lookOn(
  page: Page,
  { width, height, colorScheme, forcedColors, direction = "ltr" }: Screen,
): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({
    colorScheme: colorScheme ?? "light",
    forcedColors: forcedColors ?? "none",
    reducedMotion: "reduce",
  });
  await page.evaluate(`document.documentElement.dir = ${JSON.stringify(direction)}`);
  // Two frames: what measures itself after a change of the window has done so.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contrastViolations, violationsOf } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { lookFindings } from "../support/inbox/gallery/look-rules.js";
import { galleryPage } from "../support/inbox/gallery/page.js";
import { lookOn, type Screen, screens } from "../support/inbox/gallery/screens.js";
import { fillGallery, states } from "../support/inbox/gallery/states.js";
import { isOfNoLanguage, namesIn, textsOf } from "../support/inbox/gallery/texts.js";
import { openSite, type Site } from "../support/inbox/site.js";
import type { Visitor } from "../support/inbox/visitor.js";

/** Where `npm run gallery` wants the pictures. */
const folder = process.env.GALLERY;

const decided = "approved,denied,executed,interrupted";

describeInBrowser("every state of the inbox, on every screen,", (visit) => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite({ stopRoles: ["lead"], holdMs: 3_600_000, rateLimit: false });
    await fillGallery(site);
  });
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]();
    if (folder) writeFileSync(join(folder, "index.html"), galleryPage());
  });

  /** What a reader would stumble over on the screens, with a picture of each. Words in another language change no colour. */
  const look = async (
    { page }: Visitor,
    on: readonly Screen[],
    pictures: string,
    { axe }: { axe: boolean },
  ) => {
    const found: string[] = [];
    for (const screen of on) {
      await lookOn(page, screen);
      if (folder) {
        mkdirSync(join(folder, pictures), { recursive: true });
        await page.screenshot({ path: join(folder, pictures, `${screen.name}.png`), caret: "initial" });
      }
      const seen = await lookFindings(page);
      if (axe && screen.axe === "rules") seen.push(...(await violationsOf(page)));
      if (axe && screen.axe === "contrast") seen.push(...(await contrastViolations(page)));
      found.push(...seen.map((finding) => `${screen.name}: ${finding}`));
    }
    return found;
  };

  describe.each(states)("$name", ({ name, as = "finance", path, open }) => {
    const options = {
      ...(as !== null && { as }),
      ...(path !== undefined && { path }),
      expected: /401|ERR_INTERNET_DISCONNECTED/,
    };

    it("is readable in full while an answer is missing", async () => {
      const found = new Set<string>();
      const late = async (page: Page) => {
        for (const finding of await lookFindings(page)) found.add(finding);
      };
      await using visitor = await visit(site, { ...options, late, reducedMotion: "reduce" });
      await open(visitor);
      await visitor.settled();
      expect([...found]).toEqual([]);
    });

    it("is readable in full, covers nothing and has targets that can be hit; in German too, without English text", async () => {
      await using visitor = await visit(site, options);
      await open(visitor);
      await visitor.settled();
      const english = new Set(await textsOf(visitor.page));
      expect(await look(visitor, screens, name, { axe: true })).toEqual([]);

      await using reader = await visit(site, { ...options, locale: "de-DE" });
      await open(reader);
      await reader.settled();
      const data = await dataOf(reader);
      const names = namesIn(data);
      const texts = await textsOf(reader.page);
      expect(texts.filter((text) => english.has(text) && !isOfNoLanguage(text, data, names))).toEqual([]);
      const longest = screens.filter((screen) => ["1440", "390", "zoom-400"].includes(screen.name));
      expect(await look(reader, longest, `${name}-de`, { axe: false })).toEqual([]);
    });
  });

  /** What the host, the model and people have written, as the page and the API return it. */
  async function dataOf({ context, page }: Visitor): Promise<string> {
    const id = /apr_\w+/.exec(page.url())?.[0];
    const addresses = [
      ...["/inbox/", "/api/me", "/api/approvals?limit=100", `/api/approvals?limit=100&status=${decided}`],
      ...(id === undefined ? [] : [`/api/approvals/${id}`, `/api/approvals/${id}/audit`]),
    ];
    const origin = new URL(site.url).origin;
    const responses = await Promise.all(addresses.map((address) => context.request.get(origin + address)));
    return (await Promise.all(responses.map((response) => response.text()))).join("\n");
  }
});

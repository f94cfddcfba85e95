import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { lookFindings } from "../support/inbox/gallery/look-rules.js";
import { galleryPage } from "../support/inbox/gallery/page.js";
import { lookOn, screens } from "../support/inbox/gallery/screens.js";
import { fillGallery, states } from "../support/inbox/gallery/states.js";
import { openSite, type Site } from "../support/inbox/site.js";

/** Where `npm run gallery` wants the pictures. */
const folder = process.env.GALLERY;

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

  describe.each(states)("$name", ({ name, as = "finance", path, open }) => {
    it("is readable in full, covers nothing and has targets that can be hit", async () => {
      await using visitor = await visit(site, {
        ...(as !== null && { as }),
        ...(path !== undefined && { path }),
        expected: /401|ERR_INTERNET_DISCONNECTED/,
      });
      const { page } = visitor;
      await open(visitor);
      const found: string[] = [];
      for (const screen of screens) {
        await lookOn(page, screen);
        if (folder) {
          mkdirSync(join(folder, name), { recursive: true });
          await page.screenshot({ path: join(folder, name, `${screen.name}.png`), caret: "initial" });
        }
        const seen = await lookFindings(page);
        // In forced colours the reader has chosen the contrast.
        if (!screen.forcedColors) seen.push(...(await violations(page, { runOnly: ["color-contrast"] })));
        found.push(...seen.map((finding) => `${screen.name}: ${finding}`));
      }
      expect(found).toEqual([]);
    });
  });
});

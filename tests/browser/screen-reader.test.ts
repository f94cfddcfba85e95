import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { announcements, focused, keepAnnouncements } from "../support/inbox/heard.js";
import { openRefunds } from "../support/inbox/refunds.js";

const guide = join(import.meta.dirname, "../../docs/screen-readers.md");

/** The lines of the walk. "…" stands for any text. */
const steps = readFileSync(guide, "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, key = "", focus = "", said = ""]) => ({ key: key.replaceAll("`", ""), focus, said }));

function pattern(text: string): RegExp {
  const parts = text.split(/ ?… ?/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[\\s\\S]*")}$`);
}

describeInBrowser("a screen reader in the inbox", (visit) => {
  it("hears what the guide says, with the same keys", async () => {
    expect(steps.length).toBeGreaterThan(20);
    await using site = await openRefunds(
      [80, 90, 2400],
      { decisions: ["approve", "edit", "deny"], editable: ["amount"], holdFor: "60s" },
      { holdMs: 60_000 },
    );
    await using visitor = await visit(site, { as: "finance", before: keepAnnouncements });
    const { page } = visitor;
    await visitor.rows().nth(2).waitFor();
    let open = false;
    for (const { key, focus, said } of steps) {
      // What a key does depends on what has been read.
      if (open) await visitor.ready();
      const before = (await announcements(page)).length;
      await page.keyboard.press(key);
      await expect.poll(() => focused(page), { message: `the focus after ${key}` }).toMatch(pattern(focus));
      if (said !== "") {
        const heard = async () => (await announcements(page)).slice(before);
        await expect
          .poll(heard, { message: `announced after ${key}` })
          .toContainEqual(expect.stringMatching(pattern(said)));
      }
      open ||= key === "Enter";
    }
  });
});

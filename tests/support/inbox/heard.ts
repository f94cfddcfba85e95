import type { Page } from "playwright-core";

interface AxValue {
  value?: unknown;
}

interface AxNode {
  role?: AxValue;
  name?: AxValue;
  description?: AxValue;
  properties?: { name: string; value: AxValue }[];
}

/** Keeps what live regions say. Runs in the page, before its own scripts. */
export const keepAnnouncements = `{
  window.announced = [];
  const live = "[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]";
  const unheard = (node) => (node instanceof Element ? node : node.parentElement)?.closest("[aria-hidden=true]");
  const textOf = (node) => {
    if (node instanceof Text) return node.data;
    return unheard(node) ? "" : [...node.childNodes].map(textOf).join(" ");
  };
  new MutationObserver((changes) => {
    const regions = new Set();
    for (const { target, addedNodes } of changes) {
      if (unheard(target)) continue;
      const region = (target instanceof Element ? target : target.parentElement)?.closest(live);
      if (region) regions.add(region);
      for (const node of addedNodes) {
        if (!(node instanceof Element)) continue;
        for (const inner of [node, ...node.querySelectorAll("*")]) if (inner.matches(live)) regions.add(inner);
      }
    }
    for (const region of regions) {
      const text = region.isConnected ? textOf(region).trim().replace(/\\s+/g, " ") : "";
      if (text && window.announced.at(-1) !== text) window.announced.push(text);
    }
  }).observe(document, { childList: true, subtree: true, characterData: true });
}`;

/** What live regions have said so far. */
export async function announcements(page: Page): Promise<string[]> {
  return (await page.evaluate("window.announced")) as string[];
}

/** States that a screen reader says after the name and role. */
const states: Record<string, (value: unknown) => string> = {
  checked: (value) => (value === "true" ? "checked" : "not checked"),
  expanded: (value) => (value ? "expanded" : "collapsed"),
  disabled: (value) => (value ? "unavailable" : ""),
  required: (value) => (value ? "required" : ""),
  invalid: (value) => (value === "false" ? "" : "invalid"),
  keyshortcuts: (value) => `shortcut ${String(value)}`,
};

/** What a screen reader says about the element with the focus: its name, role, states and description. */
export async function focused(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  try {
    const { result } = await session.send("Runtime.evaluate", { expression: "document.activeElement" });
    if (result.objectId === undefined) return "nothing";
    const { nodes } = await session.send("Accessibility.getPartialAXTree", {
      objectId: result.objectId,
      fetchRelatives: false,
    });
    const node: AxNode = nodes[0] ?? {};
    const said = (node.properties ?? []).map(({ name, value }) => states[name]?.(value.value) ?? "");
    return [node.name?.value, node.role?.value, ...said, node.description?.value].filter(Boolean).join(", ");
  } finally {
    await session.detach();
  }
}

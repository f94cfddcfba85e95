import type { Visitor } from "../inbox/visitor.js";
import type { DemoWorld } from "./demo-in-process.js";

/** The site to visit: the demo serves its front page there. */
export const siteOf = (demo: DemoWorld) => ({ url: new URL("/", demo.api).origin });

/** The two sides of the front page: the chat with the agent, and the calls to decide. */
export function sidesOf({ page }: Visitor) {
  const chat = page.getByRole("region", { name: "Ask the agent" });
  const desk = page.getByRole("region", { name: "Decide" });
  const card = (name: string | RegExp) => desk.getByRole("article", { name });
  return {
    /** The line that a decided call is folded to. */
    folded: (name: RegExp) => desk.locator("summary").filter({ hasText: name }),
    chat,
    desk,
    card,
    /** Waits until a key can decide the call of a card. */
    ready: (name: string | RegExp) => card(name).and(page.locator("[data-ready]")).waitFor(),
    call: (name: string | RegExp) => chat.getByRole("article", { name }),
    suggest: (name: string | RegExp) => chat.getByRole("button", { name }).click(),
    send: async (text: string) => {
      await chat.getByRole("textbox", { name: "Message to the agent" }).fill(text);
      await chat.getByRole("button", { name: "Send" }).click();
    },
  };
}

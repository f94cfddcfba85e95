/**
 * Converts content to blocks. Both formats also accept a plain string, which stands for one text block. An empty string
 * becomes no block, so that a rule about empty blocks does not apply to it.
 */
export function toBlocks(content: unknown): unknown {
  if (content === "") return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The text of content blocks, in order; blocks of other types (images, files) have none. */
export function blocksText(blocks: readonly { type: string; text?: unknown }[]): string {
  return blocks.map((block) => (typeof block.text === "string" ? block.text : "")).join("");
}

/**
 * Both formats allow a plain string where they take content blocks; this turns it into the one text block it means. An
 * empty string is no block, so that a rule about empty blocks can tell the two apart.
 */
export function toBlocks(content: unknown): unknown {
  if (content === "") return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The text of content blocks, in order; blocks of other types (images, files) have none. */
export function blocksText(blocks: readonly { type: string; text?: unknown }[]): string {
  return blocks.map((block) => (typeof block.text === "string" ? block.text : "")).join("");
}

const storageName = "countersign-demo-conversation";

/** The conversation of this tab, which survives a reload; `null` if nothing was said yet. */
export function rememberedConversation(): string | null {
  return sessionStorage.getItem(storageName);
}

/** Saves the id of the conversation. Call it with the first message. */
export function rememberConversation(id: string): void {
  sessionStorage.setItem(storageName, id);
}

export function newConversationId(): string {
  // `randomUUID` needs a secure context, and the demo may be opened over HTTP in a network.
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  return `page-${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

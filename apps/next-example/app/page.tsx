import { randomUUID } from "node:crypto";
import { uiMessages } from "@countersign/chat/ai-sdk";
import { cookies } from "next/headers";
import { redirect } from "next/navigation";
import { Chat } from "../components/chat";
import { countersign } from "../lib/countersign";
import { readSession, sessionCookie } from "../lib/session";
import { settings } from "../lib/settings";

interface ChatPageProps {
  searchParams: Promise<{ thread?: string | string[] }>;
}

/** The conversation's id is in the address, so that it is the same after a reload. */
export default async function ChatPage({ searchParams }: ChatPageProps) {
  const reader = await readSession((await cookies()).get(sessionCookie.name)?.value);
  if (!reader) redirect("/sign-in?return=/");
  const { thread } = await searchParams;
  if (typeof thread !== "string" || thread === "") redirect(`/?thread=${randomUUID()}`);
  const messages = await uiMessages(countersign, thread, reader, {
    inboxUrl: `${settings.origin}/approvals`,
  });
  return (
    <main className="page">
      <Chat key={thread} threadId={thread} messages={messages} />
    </main>
  );
}

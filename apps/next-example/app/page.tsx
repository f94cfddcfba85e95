import { randomUUID } from "node:crypto";
import { cookies } from "next/headers";
import { redirect } from "next/navigation";
import { Chat } from "../components/chat";
import { readConversation } from "../lib/conversation";
import { readSession, sessionCookie } from "../lib/session";

interface ChatPageProps {
  searchParams: Promise<{ thread?: string | string[] }>;
}

/** The conversation's id is in the address, so that it is the same after a reload. */
export default async function ChatPage({ searchParams }: ChatPageProps) {
  const reader = await readSession((await cookies()).get(sessionCookie.name)?.value);
  if (!reader) redirect("/sign-in?return=/");
  const { thread } = await searchParams;
  if (typeof thread !== "string" || thread === "") redirect(`/?thread=${randomUUID()}`);
  return (
    <main className="page">
      <Chat key={thread} threadId={thread} messages={await readConversation(thread, reader)} />
    </main>
  );
}

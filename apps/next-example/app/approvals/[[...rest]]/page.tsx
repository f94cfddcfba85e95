import { ApprovalsInbox, CountersignInboxProvider } from "@countersign/inbox";
import { cookies } from "next/headers";
import { redirect } from "next/navigation";
import { readSession, sessionCookie } from "../../../lib/session";
import "@countersign/inbox/style.css";

/** The inbox has addresses of its own below /approvals, so this page answers all of them. */
export default async function ApprovalsPage({ params }: { params: Promise<{ rest?: string[] }> }) {
  if (!(await readSession((await cookies()).get(sessionCookie.name)?.value))) {
    const path = ["/approvals", ...((await params).rest ?? [])].join("/");
    redirect(`/sign-in?return=${encodeURIComponent(path)}`);
  }
  return (
    <CountersignInboxProvider apiBase="/api/desk" basePath="/approvals" signIn={{ url: "/sign-in" }}>
      <ApprovalsInbox />
    </CountersignInboxProvider>
  );
}

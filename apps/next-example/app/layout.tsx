import type { Metadata } from "next";
import { cookies } from "next/headers";
import Link from "next/link";
import type { ReactNode } from "react";
import { readSession, sessionCookie } from "../lib/session";
import "./globals.css";

export const metadata: Metadata = { title: "Support desk" };

export default async function Layout({ children }: { children: ReactNode }) {
  const user = await readSession((await cookies()).get(sessionCookie.name)?.value);
  return (
    <html lang="en">
      <body>
        <header className="site-header">
          <strong>Support desk</strong>
          <nav>
            <Link href="/">Chat</Link>
            <Link href="/approvals">Approvals</Link>
          </nav>
          {user ? <a href="/sign-in">{user.displayName}</a> : <a href="/sign-in">Sign in</a>}
        </header>
        {children}
      </body>
    </html>
  );
}

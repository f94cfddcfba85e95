import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { ApiError, Unreachable } from "../api/api-error.js";
import { Button } from "../components/button.js";
import type { InboxSignIn } from "../data/inbox-config.js";
import { useInbox } from "../data/inbox-context.js";
import { keys } from "../data/query-keys.js";

/** All that somebody sees who is not signed in. */
export default function SignInPage() {
  const { config } = useInbox();
  const { signIn } = config;
  return (
    <main className="cs-sign-in">
      <div className="cs-sign-in-card">
        <h1>Approvals</h1>
        <p>Sign in to see what waits for you.</p>
        {signIn === undefined ? (
          <p className="cs-hint">Open the application that this belongs to, sign in there, and come back.</p>
        ) : "url" in signIn ? (
          <a className="cs-button" data-tone="primary" href={withReturn(signIn.url)}>
            Sign in
          </a>
        ) : (
          <TokenForm signIn={signIn} />
        )}
      </div>
    </main>
  );
}

function TokenForm({ signIn }: { signIn: Extract<InboxSignIn, { session: string }> }) {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<string>();
  const [sending, setSending] = useState(false);
  const client = useQueryClient();
  const id = useId();
  const enter = async (given: string) => {
    setSending(true);
    setProblem(undefined);
    try {
      await openSession(signIn.session, given);
      await client.resetQueries({ queryKey: keys.me });
    } catch (error) {
      setProblem(wordsFor(error));
    } finally {
      setSending(false);
    }
  };
  return (
    <>
      {signIn.people && (
        <ul className="cs-sign-in-people" aria-label="Sign in as">
          {signIn.people.map((person) => (
            <li key={person.token}>
              <Button disabled={sending} onClick={() => void enter(person.token)}>
                <span>
                  <strong>{person.name}</strong>
                  {person.note && <small>{person.note}</small>}
                </span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim()) void enter(token.trim());
        }}
      >
        <label htmlFor={id}>Token</label>
        <input
          id={id}
          className="cs-input"
          type="password"
          autoComplete="current-password"
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? `${id}-problem` : undefined}
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        {problem && (
          <small id={`${id}-problem`} className="cs-problem" role="alert">
            {problem}
          </small>
        )}
        <Button type="submit" tone="primary" disabled={sending}>
          Sign in
        </Button>
      </form>
    </>
  );
}

async function openSession(url: string, token: string): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  }).catch((error: unknown) => {
    throw new Unreachable("The server could not be reached", { cause: error });
  });
  if (response.ok) return;
  throw new ApiError(response.status, { code: "", title: "", detail: "", status: response.status });
}

function wordsFor(error: unknown): string {
  if (error instanceof ApiError && error.status < 500)
    return "Nobody has this token. Look it up and paste it again.";
  return "The server did not answer as it should. Try again in a moment.";
}

/** The host's page, told where to send people back to. */
function withReturn(url: string): string {
  const target = new URL(url, window.location.href);
  target.searchParams.set("return", window.location.pathname + window.location.search);
  return target.href;
}

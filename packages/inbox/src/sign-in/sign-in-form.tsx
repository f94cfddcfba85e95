import { useQueryClient } from "@tanstack/react-query";
import { type RefObject, useId, useState } from "react";
import { Button } from "../components/button.js";
import type { InboxSignIn } from "../data/inbox/inbox-config.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { keys } from "../data/inbox/query-keys.js";
import { words } from "../words/words.js";

interface SignInFormProps {
  /** The name of the person whose session has ended. */
  as?: string;
  /** Set to that person's button, if there is one. */
  first?: RefObject<HTMLButtonElement | null>;
}

/** How people sign in at this host. */
export function SignInForm({ as, first }: SignInFormProps) {
  const { signIn } = useInbox().config;
  if (signIn === undefined) {
    return <p className="cs-hint">{words.signIn.inHost}</p>;
  }
  if ("url" in signIn) {
    return (
      <a className="cs-button" data-tone="primary" href={withReturn(signIn.url)}>
        {words.signIn.signIn}
      </a>
    );
  }
  return <TokenForm signIn={signIn} as={as} first={first} />;
}

interface TokenFormProps {
  signIn: Extract<InboxSignIn, { session: string }>;
  as: SignInFormProps["as"];
  first: SignInFormProps["first"];
}

function TokenForm({ signIn, as, first }: TokenFormProps) {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<string>();
  const [sending, setSending] = useState(false);
  const client = useQueryClient();
  const id = useId();
  const enter = async (given: string) => {
    setSending(true);
    setProblem(undefined);
    const refusal = await openSession(signIn.session, given);
    if (refusal) setProblem(refusal);
    else await client.refetchQueries({ queryKey: keys.me });
    setSending(false);
  };
  return (
    <>
      {signIn.people && (
        <ul className="cs-sign-in-people" aria-label={words.signIn.people}>
          {signIn.people.map((person) => (
            <li key={person.token}>
              <Button
                ref={person.name.toLowerCase() === as?.toLowerCase() ? first : undefined}
                disabled={sending}
                onClick={() => void enter(person.token)}
              >
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
        <label htmlFor={id}>{words.signIn.token}</label>
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
          {words.signIn.signIn}
        </Button>
      </form>
    </>
  );
}

/** Exchanges a token for a session at the host's address; returns what went wrong, for people. */
async function openSession(url: string, token: string): Promise<string | undefined> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ token }) }).catch(
    () => undefined,
  );
  if (response?.ok) return undefined;
  if (response && response.status < 500) return words.signIn.invalidToken;
  return words.signIn.noResponse;
}

/** The host's sign-in page, with the address to return to. */
function withReturn(url: string): string {
  const target = new URL(url, window.location.href);
  target.searchParams.set("return", window.location.pathname + window.location.search);
  return target.href;
}

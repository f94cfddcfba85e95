import { CountersignInboxProvider } from "@countersign/inbox";
import { useId, useState } from "react";
import type { OpenCall } from "../chat/messages.js";
import { deciders, fetchWithoutCookies } from "../identities.js";
import { Waiting } from "./waiting.js";

interface DeskProps {
  threadId: string;
  /** The calls of the conversation that wait, with those that this person may not see. */
  openCalls: readonly OpenCall[];
  onWaiting: (count: number) => void;
}

/** The right side: the conversation's calls that wait for a person, as a person who decides sees them. */
export function Desk({ threadId, openCalls, onWaiting }: DeskProps) {
  const [token, setToken] = useState("demo-finance");
  const id = useId();
  const person = deciders.find((decider) => decider.token === token);
  return (
    <section className="column desk" aria-labelledby="desk-heading">
      <header className="column-head">
        <div>
          <h2 id="desk-heading">Decide</h2>
          <p>
            {person?.name} {person?.note}
          </p>
        </div>
        <label htmlFor={id}>
          Decide as{" "}
          <select
            id={id}
            className="cs-input"
            value={token}
            onChange={(event) => setToken(event.target.value)}
          >
            {deciders.map((decider) => (
              <option key={decider.token} value={decider.token}>
                {decider.name}
              </option>
            ))}
          </select>
        </label>
      </header>
      <CountersignInboxProvider
        key={token}
        apiBase="/api"
        basePath="/inbox"
        client={{ token, fetch: fetchWithoutCookies }}
      >
        <Waiting
          key={threadId}
          threadId={threadId}
          openCalls={openCalls}
          person={token}
          onPerson={setToken}
          onWaiting={onWaiting}
        />
      </CountersignInboxProvider>
    </section>
  );
}

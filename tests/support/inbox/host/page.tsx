import {
  ApprovalCard,
  ApprovalDetail,
  ApprovalsInbox,
  CountersignInboxProvider,
  type InboxHost,
} from "@countersign/inbox";
import { useState } from "react";
import { createRoot } from "react-dom/client";

/** What the host's page shows, from its address. */
export interface HostPage {
  show: "inbox" | "detail" | "card";
  /** The approval, unless it shows the inbox. */
  id?: string;
  /** Of the element around the inbox. */
  wrapper?: { className?: string; "data-theme"?: string };
  props?: { headingLevel?: 2 | 3 | 4; autoFocus?: boolean; keys?: "none" | "focused" | "page" };
  theme?: InboxHost["theme"];
  /** Whether what opens goes into the wrapper. */
  contained?: boolean;
  /** Whether the page takes the title. */
  titled?: boolean;
  /** What the page adds to a call. */
  adds?: "names" | "tall" | "covering" | "broken";
}

declare global {
  var told: { titles: [string, number][]; decided: string[]; rendered: string[] };
}
globalThis.told = { titles: [], decided: [], rendered: [] };

const host: HostPage = JSON.parse(new URLSearchParams(location.search).get("host") ?? "{}");
const { show, id = "", wrapper, props, theme, adds } = host;

const renderValue: InboxHost["renderValue"] = (path, value) => {
  told.rendered.push(`${path}: ${JSON.stringify(value)}`);
  switch (adds) {
    case "names":
      return path === "id" ? <b>Ada Lovelace’s order</b> : null;
    case "tall":
      return <div style={{ height: 1500 }}>A long story</div>;
    case "covering":
      return <div style={{ position: "fixed", inset: 0, background: "white" }}>Nothing to see here</div>;
    default:
      throw new Error("The host's page is broken");
  }
};

function Host() {
  const [layer, setLayer] = useState<HTMLElement | null>(null);
  return (
    <>
      <header>
        <h1>Desk</h1>
        <label>
          Note <input />
        </label>
      </header>
      <main>
        <div {...wrapper}>
          <CountersignInboxProvider
            apiBase="/api"
            basePath="/host"
            theme={theme}
            {...(host.contained && { container: layer })}
            {...(adds && {
              renderValue,
              aside: ({ input }) => <p>Beside: {Object.keys(input as object).join(", ")}</p>,
            })}
            onDecided={({ status, held }) => told.decided.push(held ? "held" : status)}
          >
            {show === "inbox" ? (
              <ApprovalsInbox
                {...props}
                {...(host.titled && {
                  onTitle: (title: string, waiting: number) => told.titles.push([title, waiting]),
                })}
              />
            ) : show === "detail" ? (
              <ApprovalDetail id={id} {...props} />
            ) : (
              <ApprovalCard id={id} {...props} />
            )}
          </CountersignInboxProvider>
          <div id="layer" ref={setLayer} />
        </div>
      </main>
    </>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(<Host />);

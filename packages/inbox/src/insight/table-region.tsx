import { type CSSProperties, type ReactNode, useId } from "react";
import { Link } from "wouter";
import { SafeText } from "../components/safe-text.js";
import { shareOf } from "../logic/insight/insight-rows.js";
import { elapsedText } from "../logic/wording/countdown.js";
import { countNumber } from "../words/locale.js";

interface TableRegionProps {
  caption: string;
  columns: readonly string[];
  children: ReactNode;
}

/** A table that scrolls within itself on a narrow screen. The first column names the row; the others are numbers. */
export function TableRegion({ caption, columns, children }: TableRegionProps) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
    <section className="cs-table-region" aria-labelledby={id} tabIndex={0}>
      <table className="cs-table">
        <caption id={id}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

/** The name of a row about a tool: the tool, and the rules that asked. */
export function ToolName({ tool, rules }: { tool: string; rules: readonly string[] }) {
  return (
    <th scope="row">
      <code>
        <SafeText text={tool} />
      </code>
      {rules.length > 0 && (
        <small>
          <SafeText text={rules.join(", ")} />
        </small>
      )}
    </th>
  );
}

interface CountCellProps {
  count: number;
  /** Where these calls are, and what they are. @default not a link */
  link?: { href: string | undefined; text: string };
}

/** A number of calls, which leads to them. */
export function CountCell({ count, link }: CountCellProps) {
  const text = countNumber(count);
  return (
    <td>
      {link?.href && count > 0 ? (
        <Link href={link.href}>
          {text}
          <span className="cs-visually-hidden"> {link.text}</span>
        </Link>
      ) : (
        text
      )}
    </td>
  );
}

interface WaitCellProps {
  waitMs: number | null;
  /** The rows of the table, for the length of the bar. */
  rows: readonly { medianWaitMs: number | null }[];
}

/** A wait with a bar that compares it with the others of the table. */
export function WaitCell({ waitMs, rows }: WaitCellProps) {
  return (
    <td>
      <span className="cs-wait">
        <span
          className="cs-wait-bar"
          aria-hidden="true"
          style={{ "--cs-share": shareOf(waitMs, rows) } as CSSProperties}
        />
        {waitText(waitMs)}
      </span>
    </td>
  );
}

export function waitText(waitMs: number | null): string {
  return waitMs === null ? "–" : elapsedText(waitMs);
}

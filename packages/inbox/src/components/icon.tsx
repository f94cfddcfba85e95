const paths = {
  low: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Z",
  medium: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM5.5 8h5",
  high: "M8 2.2 14.3 13.3H1.7ZM8 6.3v3.4M8 11.4v.3",
  critical: "M5.3 1.8h5.4l3.5 3.5v5.4l-3.5 3.5H5.3l-3.5-3.5V5.3ZM8 4.8v4M8 10.9v.3",
  check: "m3 8.5 3.2 3.2L13 4.9",
  close: "m4 4 8 8M12 4l-8 8",
  edit: "M10.6 2.9 13.1 5.4 5.8 12.7 2.7 13.3 3.3 10.2Z",
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM8 5v3.2l2.2 1.5",
  search: "M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4Zm3.1 7.3 3.1 3.1",
  person: "M8 8.2a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4ZM3 13.3c.6-2.3 2.6-3.3 5-3.3s4.4 1 5 3.3",
  shield: "M8 1.8 13 3.6v4.2c0 3.1-2 5.3-5 6.4-3-1.1-5-3.3-5-6.4V3.6ZM5.8 8l1.6 1.6 2.9-3.2",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  down: "m4.5 6.5 3.5 3.5 3.5-3.5",
  after: "M3 8h10M9 4l4 4-4 4",
  undo: "M6 3 3 6l3 3M3.2 6h6.3a3.5 3.5 0 0 1 0 7H6",
  back: "M9.5 3.5 5 8l4.5 4.5",
  offline: "M2 2l12 12M8 12.5h.01M5.5 10a3.6 3.6 0 0 1 3-1M3.2 7.6a7 7 0 0 1 2-1.3M8.6 5.5a7 7 0 0 1 4.2 2.1",
  eye: "M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8ZM8 6.4a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2Z",
  question:
    "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM6.4 6.5c.2-1 .9-1.4 1.7-1.4.9 0 1.6.6 1.6 1.4 0 1.2-1.7 1.3-1.7 2.4M8 11v.2",
  info: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM8 7.4v3.4M8 5.2v.2",
} as const;

export type IconName = keyof typeof paths;

/** A decorative icon beside text. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="cs-icon" data-icon={name} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.js";

interface BannerProps {
  tone: "info" | "warning" | "danger" | "success";
  icon?: IconName;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
  /** Said at once, for what stops the reader; otherwise when they pause. */
  urgent?: boolean;
}

/** Something that has happened, in its own stripe. */
export function Banner({ tone, icon = "info", title, children, actions, urgent = false }: BannerProps) {
  return (
    <div className="cs-banner" data-tone={tone} role={urgent ? "alert" : "status"}>
      <Icon name={icon} />
      <div className="cs-banner-words">
        <strong>{title}</strong>
        {children && <span>{children}</span>}
      </div>
      {actions && <div className="cs-banner-actions">{actions}</div>}
    </div>
  );
}

import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.js";

interface BannerProps {
  tone: "plain" | "info" | "warning" | "danger" | "success";
  icon?: IconName;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
  /** Whether screen readers announce it at once instead of at the next pause. @default false */
  urgent?: boolean;
}

/** A notice with a title, optional text and actions. */
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

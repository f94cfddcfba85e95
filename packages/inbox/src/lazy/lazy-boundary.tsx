import { Component, type ReactNode, Suspense } from "react";
import { Banner } from "../components/banner.js";
import { Button } from "../components/button.js";
import { words } from "../words/words.js";

interface LazyBoundaryProps {
  children: ReactNode;
  /** Shown while the part loads. @default nothing */
  fallback?: ReactNode;
}

/** Renders a lazy part. If it cannot be loaded, only this place shows an error. */
export class LazyBoundary extends Component<LazyBoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    const { children, fallback = null } = this.props;
    if (!this.state.failed) return <Suspense fallback={fallback}>{children}</Suspense>;
    const { title, advice, reload } = words.common.partMissing;
    return (
      <Banner
        tone="danger"
        icon="high"
        title={title}
        urgent
        actions={<Button onClick={() => window.location.reload()}>{reload}</Button>}
      >
        {advice}
      </Banner>
    );
  }
}

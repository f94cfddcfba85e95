import { Component, type ReactNode, Suspense } from "react";
import { Banner } from "../components/banner.js";
import { Button } from "../components/button.js";

interface LateProps {
  children: ReactNode;
  /** Shown meanwhile; nothing where left out. */
  fallback?: ReactNode;
}

/** A place for a late part. One that cannot be loaded says so there, and takes nothing else with it. */
export class Late extends Component<LateProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    const { children, fallback = null } = this.props;
    if (!this.state.failed) return <Suspense fallback={fallback}>{children}</Suspense>;
    return (
      <Banner
        tone="danger"
        icon="high"
        title="A part of this page could not be loaded"
        urgent
        actions={<Button onClick={() => window.location.reload()}>Reload</Button>}
      >
        Nothing was decided. Reload the page once the server answers; what you typed and did not send is lost
        then.
      </Banner>
    );
  }
}

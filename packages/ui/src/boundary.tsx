import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Fault } from './states.tsx';

type BoundaryProps = {
  children: ReactNode;
  /** What is drawn: when it changes, a part that failed is drawn again. */
  of?: unknown;
  /** What stands in place of a part that failed; a page when omitted. */
  instead?: () => ReactNode;
};

/** In place of a page. */
const failedPage = () => (
  <div className="error-state">
    <h1>This page could not be shown</h1>
    <Fault>Part of it did not load, or failed. Check your connection, and reload the page.</Fault>
    <Button label="Reload the page" className="main" onClick={() => window.location.reload()} />
  </div>
);

/** A page or a part of it that fails while it is drawn, or whose script does not arrive, says so in its place instead of leaving the window empty. */
export class Boundary extends Component<BoundaryProps> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidUpdate(before: BoundaryProps) {
    if (this.state.hasFailed && before.of !== this.props.of) this.setState({ hasFailed: false });
  }

  override render() {
    const { children, instead = failedPage } = this.props;
    return this.state.hasFailed ? instead() : children;
  }
}

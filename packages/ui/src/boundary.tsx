import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Fault } from './states.tsx';

/** A page that fails while it is drawn, or whose script does not arrive, says so in its place instead of leaving the window empty. */
export class Boundary extends Component<{ children: ReactNode }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div className="error-state">
        <h1>This page could not be shown</h1>
        <Fault>Part of it did not load, or failed. Check your connection, and reload the page.</Fault>
        <Button label="Reload the page" className="main" onClick={() => window.location.reload()} />
      </div>
    );
  }
}

/**
 * Detects whether a browser enforces `Connection-Allowlist` (WICG), by its behaviour. The frame page requests two names of its own
 * origin, of which only one is on its allowlist: a browser that supports the header never sends the other request. The panel
 * cannot know the names, and is loaded only after the probe.
 */
export type EngineProbe = {
  /** The name on the frame page's allowlist: requested before and after the other one. */
  readonly open: string;
  /** The name that is not on the allowlist. */
  readonly shut: string;
  /** Records a request. @returns whether its name is one of the two */
  recordRequest(name: string): boolean;
  /** Whether the browser was shown to enforce the allowlist. False while the probe runs, and if it was interrupted. */
  isConfined(): boolean;
};

/** @param newName creates an unguessable part of a URL */
export function createEngineProbe(newName: () => string): EngineProbe {
  const [open, shut] = [newName(), newName()];
  let opened = 0;
  let leaked = false;
  return {
    open,
    shut,
    recordRequest(name) {
      if (name === open) opened += 1;
      if (name === shut) leaked = true;
      return name === open || name === shut;
    },
    // A browser that requested neither name has proved nothing: another reason than the allowlist may have blocked it.
    isConfined: () => opened >= 2 && !leaked,
  };
}

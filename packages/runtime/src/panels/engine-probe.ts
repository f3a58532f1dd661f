/**
 * Finds out whether a browser keeps a page to the connections that `Connection-Allowlist` names (WICG), by what it does. The
 * frame page asks for two names of its own origin, of which its allowlist has the one and not the other: a browser that knows
 * the header never sends the second. Both names are unknown to the panel, which is loaded only after that.
 */
export type EngineProbe = {
  /** The name that the frame page's allowlist has: asked for before and after the other. */
  readonly open: string;
  /** The name that it does not have. */
  readonly shut: string;
  /** Takes note of a request. @returns whether its name is one of the two */
  recordRequest(name: string): boolean;
  /** Whether the browser has shown that it keeps to the allowlist. It has not while the probe runs, or when it broke off. */
  isConfined(): boolean;
};

/** @param newName a name that cannot be guessed, as part of an address */
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
    // A browser that reached neither name has shown nothing: what kept it from the one may be no allowlist.
    isConfined: () => opened >= 2 && !leaked,
  };
}

/** @param newName creates an unguessable part of a URL */
export function createEngineProbe(newName: () => string) {
  const [open, shut] = [newName(), newName()];
  let opened = 0;
  let leaked = false;
  return {
    /** The name on the frame page's allowlist: requested before and after the other one. */
    open,
    /** The name that is not on the allowlist. */
    shut,
    /** Records a request. @returns whether its name is one of the two */
    recordRequest(name: string) {
      if (name === open) opened += 1;
      if (name === shut) leaked = true;
      return name === open || name === shut;
    },
    // A browser that requested neither name has proved nothing: another reason than the allowlist may have blocked it.
    isConfined: () => opened >= 2 && !leaked,
  };
}

/**
 * Detects whether a browser enforces `Connection-Allowlist` (WICG), by its behaviour. The frame page requests two names of its own
 * origin, of which only one is on its allowlist: a browser that supports the header never sends the other request. The panel
 * cannot know the names, and is loaded only after the probe.
 */
export type EngineProbe = ReturnType<typeof createEngineProbe>;

import type { Hooks } from './parts.ts';

/** Finds a hook of an extension, which may have none. */
type Hook<Args extends unknown[], Answer> = (
  hooks: Partial<Hooks>,
) => ((...args: Args) => Promise<Answer>) | undefined;

/**
 * Joins the hooks of extensions: each is called in turn.
 * @param joined may get more entries later: an extension is opened with parts that call the hooks
 */
export function joinHooks(joined: readonly Partial<Hooks>[]): Hooks {
  const each =
    <Args extends unknown[]>(hookOf: Hook<Args, void>) =>
    async (...args: Args): Promise<void> => {
      for (const hooks of joined) await hookOf(hooks)?.(...args);
    };
  /** Whether one says so. Those after it are not asked. */
  const any =
    <Args extends unknown[]>(hookOf: Hook<Args, boolean>) =>
    async (...args: Args): Promise<boolean> => {
      for (const hooks of joined) if (await hookOf(hooks)?.(...args)) return true;
      return false;
    };
  /** The fields that each returns, in one object. */
  const fields =
    <Args extends unknown[], Fields extends object>(hookOf: Hook<Args, Fields>) =>
    async (...args: Args): Promise<Fields> => {
      const parts: (Fields | undefined)[] = [];
      for (const hooks of joined) parts.push(await hookOf(hooks)?.(...args));
      return Object.assign({}, ...parts);
    };
  return {
    personSuspended: each((hooks) => hooks.personSuspended),
    personLeaves: each((hooks) => hooks.personLeaves),
    recordsOf: fields((hooks) => hooks.recordsOf),
    async groupsOf(...user) {
      for (const hooks of joined) {
        const groups = await hooks.groupsOf?.(...user);
        if (groups) return groups;
      }
      return null;
    },
    providerConfirmed: each((hooks) => hooks.providerConfirmed),
    endAccess: fields((hooks) => hooks.endAccess),
    tokensRevoked: each((hooks) => hooks.tokensRevoked),
    undoDecision: any((hooks) => hooks.undoDecision),
    decisionEnded: each((hooks) => hooks.decisionEnded),
    versionSubmitted: each((hooks) => hooks.versionSubmitted),
    versionApproved: each((hooks) => hooks.versionApproved),
    versionPublished: each((hooks) => hooks.versionPublished),
    ownApp: fields((hooks) => hooks.ownApp),
    accountRecovered: each((hooks) => hooks.accountRecovered),
    isInEffect: any((hooks) => hooks.isInEffect),
    undoAct: each((hooks) => hooks.undoAct),
    isWaiting: any((hooks) => hooks.isWaiting),
    holdsApp: any((hooks) => hooks.holdsApp),
    appRemoved: each((hooks) => hooks.appRemoved),
    publisherRemoved: each((hooks) => hooks.publisherRemoved),
    usedApp: any((hooks) => hooks.usedApp),
    purgeExpired: each((hooks) => hooks.purgeExpired),
  };
}

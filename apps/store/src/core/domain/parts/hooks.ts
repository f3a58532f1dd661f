import type { EndedAccess } from '../identity/end-access.ts';
import type { Hooks } from './parts.ts';

/**
 * Joins the hooks of extensions: each is called in turn.
 * @param joined may get more entries later: an extension is opened with parts that call the hooks
 */
export const joinHooks = (joined: readonly Partial<Hooks>[]): Hooks => ({
  async personSuspended(...change) {
    for (const hooks of joined) await hooks.personSuspended?.(...change);
  },
  async personLeaves(...change) {
    for (const hooks of joined) await hooks.personLeaves?.(...change);
  },
  async recordsOf(personId) {
    const records = await Promise.all(joined.map((hooks) => hooks.recordsOf?.(personId)));
    return Object.assign({}, ...records);
  },
  async groupsOf(...user) {
    for (const hooks of joined) {
      const groups = await hooks.groupsOf?.(...user);
      if (groups) return groups;
    }
    return null;
  },
  async providerConfirmed(...user) {
    for (const hooks of joined) await hooks.providerConfirmed?.(...user);
  },
  async endAccess(...account) {
    const ended: Partial<EndedAccess> = {};
    for (const hooks of joined) Object.assign(ended, await hooks.endAccess?.(...account));
    return ended;
  },
  async tokensRevoked(...publisher) {
    for (const hooks of joined) await hooks.tokensRevoked?.(...publisher);
  },
  async undoDecision(...decision) {
    for (const hooks of joined) if (await hooks.undoDecision?.(...decision)) return true;
    return false;
  },
  async decisionEnded(...ended) {
    for (const hooks of joined) await hooks.decisionEnded?.(...ended);
  },
  async versionSubmitted(...version) {
    for (const hooks of joined) await hooks.versionSubmitted?.(...version);
  },
  async versionApproved(...version) {
    for (const hooks of joined) await hooks.versionApproved?.(...version);
  },
  async versionPublished(...version) {
    for (const hooks of joined) await hooks.versionPublished?.(...version);
  },
  async ownApp(...app) {
    const parts = [];
    for (const hooks of joined) parts.push(await hooks.ownApp?.(...app));
    return Object.assign({}, ...parts);
  },
  async accountRecovered(...account) {
    for (const hooks of joined) await hooks.accountRecovered?.(...account);
  },
  async isInEffect(...act) {
    for (const hooks of joined) if (await hooks.isInEffect?.(...act)) return true;
    return false;
  },
  async undoAct(...act) {
    for (const hooks of joined) await hooks.undoAct?.(...act);
  },
  async isWaiting(...subject) {
    for (const hooks of joined) if (await hooks.isWaiting?.(...subject)) return true;
    return false;
  },
  async holdsApp(...app) {
    for (const hooks of joined) if (await hooks.holdsApp?.(...app)) return true;
    return false;
  },
  async appRemoved(...app) {
    for (const hooks of joined) await hooks.appRemoved?.(...app);
  },
  async publisherRemoved(...publisher) {
    for (const hooks of joined) await hooks.publisherRemoved?.(...publisher);
  },
  async usedApp(...app) {
    for (const hooks of joined) if (await hooks.usedApp?.(...app)) return true;
    return false;
  },
  async purgeExpired(now) {
    for (const hooks of joined) await hooks.purgeExpired?.(now);
  },
});

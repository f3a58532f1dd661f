import type { Events } from '../events/events.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { Grants } from './grants.ts';
import type { Revocations } from './revocations.ts';
import type { SignIns } from './sign-ins.ts';

type Deps = {
  grants: Pick<Grants, 'endOrphans'>;
  revocations: Pick<Revocations, 'drain'>;
  signIns: Pick<SignIns, 'cancel'>;
  events: Events;
  closing: AbortController;
  onFault?: ((error: unknown) => void) | undefined;
};

/** Deletes grants of apps and accounts that are no longer installed. */
export function createSettling({
  grants,
  revocations,
  signIns,
  closing,
  events,
  onFault = () => undefined,
}: Deps) {
  let isUsed = false;

  async function settle(): Promise<void> {
    isUsed = true;
    for (const { appId, accountId } of await grants.endOrphans()) {
      events.emit({ type: 'account-dropped', appId, accountId, reason: 'moved' });
    }
    await revocations.drain();
  }

  /** Retries on the next use if the vault cannot be opened or the client is closing. */
  async function inBackground(): Promise<void> {
    try {
      await settle();
    } catch (error) {
      isUsed = false;
      if (!(error instanceof RuntimeError) && !closing.signal.aborted) onFault(error);
    }
  }

  /** @param track registers the work, so that closing the client waits for it */
  function followEvents(track: (work: Promise<void>) => void): () => void {
    return events.subscribe((event) => {
      if (event.type === 'app-removed' || event.type === 'app-withdrawn') signIns.cancel(event.appId);
      const mayOrphan = ['app-removed', 'app-updated', 'app-installed'].includes(event.type);
      // The vault is not opened only for this: that might prompt the user for its key.
      if (mayOrphan && isUsed) track(inBackground());
    });
  }

  return { settle, inBackground, follow: followEvents, isUsed: () => isUsed };
}

import type { PanelFile, PickFiles } from '@svc/runtime';
import type { PageEvents } from '../events/page-events.ts';

/** Where panels that want files meet the person who chooses them. */
export type FilePicker = {
  pick: PickFiles;
  /** What was chosen. @returns whether a caller still waited for it */
  picked(pickId: string, files: readonly PanelFile[]): boolean;
};

/** @param newId makes ids that nobody can guess */
export function createFilePicker({ events, newId }: { events: PageEvents; newId(): string }): FilePicker {
  const waiting = new Map<string, (files: readonly PanelFile[]) => void>();
  return {
    pick({ appId }, { accept, multiple }, signal) {
      signal.throwIfAborted();
      const pickId = newId();
      const { promise, resolve, reject } = Promise.withResolvers<readonly PanelFile[]>();
      const giveUp = () => reject(signal.reason);
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.set(pickId, resolve);
      events.tell({ type: 'pick-files', pickId, appId, accept, multiple });
      return promise.finally(() => {
        signal.removeEventListener('abort', giveUp);
        waiting.delete(pickId);
        events.tell({ type: 'pick-gone', pickId });
      });
    },
    picked(pickId, files) {
      waiting.get(pickId)?.(files);
      return waiting.delete(pickId);
    },
  };
}

import type { PanelFile, PickFiles } from '@svc/runtime';
import { orAborted } from '@svc/runtime/parts';
import type { PageEvents } from '../events/page-events.ts';

/** @param newId creates unguessable ids */
export function createFilePicker({ events, newId }: { events: PageEvents; newId(): string }) {
  const waiting = new Map<string, (files: readonly PanelFile[]) => void>();
  return {
    pick(...[{ appId }, { accept, multiple }, signal]: Parameters<PickFiles>): ReturnType<PickFiles> {
      signal.throwIfAborted();
      const pickId = newId();
      const { promise, resolve } = Promise.withResolvers<readonly PanelFile[]>();
      waiting.set(pickId, resolve);
      events.emit({ type: 'pick-files', pickId, appId, accept, multiple });
      return orAborted(signal, promise).finally(() => {
        waiting.delete(pickId);
        events.emit({ type: 'pick-gone', pickId });
      });
    },
    /** Delivers the chosen files. @returns whether the panel was still waiting */
    picked(pickId: string, files: readonly PanelFile[]) {
      waiting.get(pickId)?.(files);
      return waiting.delete(pickId);
    },
  };
}

/** File requests of panels that wait for the user's choice. */
export type FilePicker = ReturnType<typeof createFilePicker>;

import { createTokenBucket } from '../../platform/token-bucket.ts';
import type { HostElement, HostWindow, WindowMessage } from './dom.ts';
import { createFrame, guardFocus, type ShownFrame, STRAY } from './frame-element.ts';

/** Why a preview was removed by itself. */
export type PreviewEnd = 'navigated' | 'flooded' | 'took-focus';

type PreviewOptions = {
  /** The parent element of the preview: an `HTMLElement`. */
  parent: HostElement;
  /** `frame` of the open preview. */
  frame: ShownFrame;
  /** Monotonic clock in milliseconds: `() => performance.now()`. */
  now(): number;
  /** Called once if the preview is removed because of what it does. */
  ended(reason: PreviewEnd): void;
};

/**
 * Shows a preview in the client's page. It has no channel: of its messages none is read, and too many remove it, as does a second load and
 * a focus that it takes from a field of the page again and again.
 * @returns removes the preview, with whatever it runs
 */
export function mountPreview({ parent, frame, now, ended }: PreviewOptions): { close(): void } {
  const view = parent.ownerDocument.defaultView as HostWindow;
  const element = createFrame({ parent, frame });
  const stray = createTokenBucket(STRAY, now);
  let stopGuard = () => {};
  let loads = 0;
  let isOpen = true;
  function close(): void {
    isOpen = false;
    view.removeEventListener('message', received);
    stopGuard();
    element.remove();
  }
  function end(reason: PreviewEnd): void {
    if (!isOpen) return;
    close();
    ended(reason);
  }
  function received({ source }: WindowMessage): void {
    if (source === element.contentWindow && !stray.take()) end('flooded');
  }
  element.addEventListener('load', () => {
    loads += 1;
    if (loads > 1) end('navigated');
  });
  view.addEventListener('message', received);
  parent.append(element as never);
  stopGuard = guardFocus(element, { parent, now, exceeded: () => end('took-focus') });
  return { close };
}

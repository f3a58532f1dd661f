import { createTokenBucket } from '../../platform/token-bucket.ts';
import type { FocusElement, FrameElement, HostDocument, HostElement } from './dom.ts';

/** What a frame shows. */
export type ShownFrame = { address: string; origin: string; sandbox: string; title: string };

/** A frame for the document of a panel or a preview, which it loads once it is in the page. */
export function createFrame({ parent, frame }: { parent: HostElement; frame: ShownFrame }): FrameElement {
  const element = parent.ownerDocument.createElement('iframe') as FrameElement;
  element.setAttribute('sandbox', frame.sandbox);
  element.setAttribute('allow', '');
  element.setAttribute('referrerpolicy', 'no-referrer');
  element.setAttribute('title', frame.title);
  element.setAttribute('src', frame.address);
  return element;
}

/** Elements that take text. */
const FIELDS =
  'input:not([type=button], [type=submit], [type=reset], [type=checkbox], [type=radio]), textarea, select, [contenteditable]:not([contenteditable=false])';

/** How often a panel may take the focus from a field: some focus a field of their own when they load. */
const FOCUS = { burst: 2, perSecond: 1 / 60 };

type Guard = { parent: HostElement; now(): number; exceeded(): void };

/**
 * Keeps what the user types into the client's page from a panel that focuses itself. While a field of the page is active, the frame
 * takes neither presses nor the Tab key: a press, which the page then receives, leaves the field, and the next one goes to the panel. A panel that takes the focus without a press loses it again,
 * and is removed if it repeats that. Browsers have no policy that prevents it: `focus-without-user-activation` has no effect in Chromium
 * 156, `window.focus` works in a frame that is `inert`, and frames within it stay inert afterwards.
 * @returns stops
 */
export function guardFocus(element: FrameElement, { parent, now, exceeded }: Guard): () => void {
  const page = parent.ownerDocument as unknown as HostDocument;
  const bucket = createTokenBucket(FOCUS, now);
  const isField = (one: FocusElement | null) => one !== null && one !== element && one.matches(FIELDS);
  let isShielded = false;
  const update = () => {
    isShielded = isField(page.activeElement);
    element.style.pointerEvents = isShielded ? 'none' : '';
    element.tabIndex = isShielded ? -1 : 0;
  };
  const left = ({ target }: { readonly target: unknown }) => {
    const field = target as FocusElement;
    setTimeout(() => {
      if (page.activeElement === element && isShielded && field.isConnected) {
        field.focus();
        if (!bucket.take()) exceeded();
      }
      update();
    });
  };
  update();
  page.addEventListener('focusin', update);
  page.addEventListener('focusout', left);
  return () => {
    page.removeEventListener('focusin', update);
    page.removeEventListener('focusout', left);
  };
}

/** Rate limit of messages to the client's page that bypass the channel. None is read. */
export const STRAY = { burst: 20, perSecond: 1 };

import type { HostElement } from '../../panels/host/dom.ts';
import { mountPanel } from '../../panels/host/mount-panel.ts';
import type { PageConnection, PanelWish } from './connect-page.ts';

// The other half of the package runs in Node, so the browser APIs in use are typed here, and none is accessed before
// the element is defined.

/** An `HTMLElement`. */
type PageElement = HostElement & {
  getAttribute(name: string): string | null;
  dispatchEvent(event: Event): boolean;
  textContent: string | null;
  readonly isConnected: boolean;
};

/** The parts of a `Window` in use. */
type PageWindow = {
  HTMLElement: new () => PageElement;
  customElements: { define(name: string, element: new () => PageElement): void };
  matchMedia(query: string): { matches: boolean };
  navigator: { language: string };
};

const themeIn = (view: PageWindow): 'light' | 'dark' =>
  view.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';

/** The options from the attributes of an element. */
function wishOf(element: PageElement, view: PageWindow): PanelWish {
  const { getAttribute } = element;
  const attribute = (name: string): string => getAttribute.call(element, name) ?? '';
  const [theme, viewId] = [attribute('theme'), attribute('view')];
  return {
    appId: attribute('app'),
    panelId: attribute('panel'),
    project: attribute('project'),
    theme: theme === 'light' || theme === 'dark' ? theme : themeIn(view),
    locale: attribute('locale') || view.navigator.language,
    ...(viewId && { view: viewId }),
  };
}

/**
 * Defines an element that shows a panel for as long as it is in the page:
 * `<svc-panel app="com.example.notes" panel="notes" project="project-1">`. `theme` (`light`, `dark`), `locale` and `view` may be
 * set too. It fires `panel-closed` when the panel is closed, with the reason in `detail`, and `panel-failed` when it
 * cannot be opened, with the error; it then shows the message.
 * @param page of `connectPage`
 */
export function definePanelElement(page: Pick<PageConnection, 'openPanel'>, name = 'svc-panel'): void {
  const view = globalThis as unknown as PageWindow;
  view.customElements.define(
    name,
    class extends view.HTMLElement {
      #end: (() => void) | null = null;

      connectedCallback(): void {
        this.#show().catch((error: Error) => {
          this.textContent = error.message;
          this.dispatchEvent(new CustomEvent('panel-failed', { detail: error }));
        });
      }

      disconnectedCallback(): void {
        this.#end?.();
      }

      async #show(): Promise<void> {
        const { frame, connection } = await page.openPanel(wishOf(this, view));
        // The element was removed from the page, or moved, in the meantime.
        if (!this.isConnected || this.#end) return connection.close('gone');
        const mounted = mountPanel({
          parent: this,
          frame,
          connection,
          now: () => performance.now(),
          closed: (reason) => {
            this.#end = null;
            this.dispatchEvent(new CustomEvent('panel-closed', { detail: reason }));
          },
        });
        this.#end = () => mounted.close();
      }
    },
  );
}

import { Boundary, keepFocus, Loading } from '@svc/ui';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { options } from 'preact';
import { type ComponentType, lazy, StrictMode, Suspense, useLayoutEffect } from 'react';
import { createRoot } from 'react-dom/client';
import '@svc/ui/changes.css';
import './style.css';
import './check/check.css';
import './account/account.css';
import './conversation/conversation.css';
import './dashboard/dashboard.css';
import './extensions/ratings/reviews.css';
import './admin/admin.css';
import './moderation/moderation.css';
import './moderation/review/review.css';
import './extensions/ratings/flagged.css';
import { mayPass, noteLeaving } from './account/api.ts';
import { type Area, areaOf, followLinks, ownLink, useNavigationCount, usePath } from './address.ts';
import { takeInstallId } from './extensions/ratings/install-id.ts';

// An effect of a key runs before the next key, as in React: it may move the focus, which marks a row. Preact would wait for a frame.
options.requestAnimationFrame = (effects) => queueMicrotask(effects);

const focusOn = (element: unknown): void => {
  if (element instanceof HTMLElement) element.focus();
};
const created = options.vnode;
// As in React: an element with `autoFocus` gets the focus when it is drawn. Browsers heed its attribute only while they load a page.
options.vnode = (vnode) => {
  const { autoFocus } = (vnode.props ?? {}) as { autoFocus?: boolean };
  if (autoFocus && typeof vnode.type === 'string') vnode.ref ??= focusOn;
  created?.(vnode);
};

/** The pages of an area. `installId` is the installation that a client opened the page with. */
type AreaView = ComponentType<{ path: string; installId: string | null }>;

const root = document.getElementById('page');
// Before anything else: this removes the id from the URL.
const installId = takeInstallId(window);

/** Loads the pages of another area than the one that was opened, when they are first needed. */
const LOAD = {
  account: async () => (await import('./account/page.tsx')).AccountPage,
  moderation: async () => (await import('./moderation/page.tsx')).ModerationPage,
  admin: async () => (await import('./admin/page.tsx')).AdminPage,
} satisfies Record<Area, () => Promise<AreaView>>;

/** The heading of each area until its script is there. */
const HEADINGS = {
  account: 'Your account',
  moderation: 'Moderation',
  admin: 'Administration',
} satisfies Record<Area, string>;

const lazily = (area: Area): AreaView => lazy(async () => ({ default: await LOAD[area]() }));

/** All pages of a signed-in user, moderator or administrator. */
function Dashboard({ views }: { views: Readonly<Record<Area, AreaView>> }) {
  const path = usePath();
  const area = areaOf(path) ?? 'account';
  const key = useNavigationCount();
  useLayoutEffect(() => {
    if (root) root.className = `page ${area}`;
  }, [area]);
  const View = views[area];
  return (
    <Boundary key={key}>
      <Suspense
        fallback={
          <main id="content">
            <Loading page={HEADINGS[area]} />
          </main>
        }
      >
        <View key={key} path={path} installId={installId} />
      </Suspense>
    </Boundary>
  );
}

type TextField = HTMLInputElement | HTMLTextAreaElement;

const isBlank = (field: Element): field is TextField =>
  (field instanceof HTMLTextAreaElement ||
    (field instanceof HTMLInputElement && field.type !== 'password')) &&
  field.required &&
  field.value.trim() === '';

/**
 * Stops a form with a required text of spaces alone before it is sent: the browser says so at the field. The store trims texts, and would
 * refuse it in words for programs.
 */
function refuseBlankTexts(): void {
  const stop = (event: Event) => {
    const field = event.target instanceof HTMLFormElement && [...event.target.elements].find(isBlank);
    if (!field) return;
    event.preventDefault();
    event.stopPropagation();
    field.setCustomValidity('Fill in this field.');
    field.addEventListener('input', () => field.setCustomValidity(''), { once: true });
    field.reportValidity();
  };
  document.addEventListener('submit', stop, { capture: true });
}

/** How often a page without its data asks again while the store cannot be reached, in milliseconds. */
const AGAIN_MS = 15_000;

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures === 0 && mayPass(error),
      refetchInterval: ({ state: { data, error } }) =>
        data === undefined && error !== null && mayPass(error) && AGAIN_MS,
      staleTime: 5_000,
      // A request that cannot be sent fails and says so. It does not wait, unseen, for the network.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

/**
 * Opens the pages of a signed-in user at one of its areas. The scripts of the other areas are loaded when they are needed.
 * @param opened the area of the URL @param view its pages
 */
export function openDashboard(opened: Area, view: AreaView): void {
  if (!root) throw new Error('The page has no element #page.');
  const views = {
    account: lazily('account'),
    moderation: lazily('moderation'),
    admin: lazily('admin'),
    [opened]: view,
  };
  keepFocus(root);
  followLinks();
  refuseBlankTexts();
  noteLeaving();
  // The scripts of an area arrive while the pointer is on its way.
  document.addEventListener('pointerover', (event) => {
    const area = areaOf(ownLink(event)?.pathname ?? '');
    // The page that is opened says what failed.
    if (area) LOAD[area]().catch(() => undefined);
  });
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <Dashboard views={views} />
      </QueryClientProvider>
    </StrictMode>,
  );
}

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, StrictMode, Suspense, useLayoutEffect } from 'react';
import { createRoot } from 'react-dom/client';
import './style.css';
import './check/check.css';
import './account/account.css';
import './changes/changes.css';
import './conversation/conversation.css';
import './dashboard/dashboard.css';
import './reviews/reviews.css';
import './admin/admin.css';
import './moderation/moderation.css';
import './moderation/review/review.css';
import './moderation/files/files.css';
import './moderation/flagged/flagged.css';
import { refuseBlankTexts } from './account/blank-texts.ts';
import { takeInstallId } from './account/rate/install-id.ts';
import { type Area, areaOf, followLinks, ownLink, useNavigationCount, usePath } from './address.ts';

const root = document.getElementById('page');
if (!root) throw new Error('dashboard.html has no element #page.');
// Before anything else: this removes the id from the URL.
const installId = takeInstallId(window);

/** The pages of each area, of which the script is loaded when it is first needed. */
const LOAD = {
  account: () => import('./account/page.tsx'),
  moderation: () => import('./moderation/page.tsx'),
  admin: () => import('./admin/page.tsx'),
} satisfies Record<Area, () => Promise<unknown>>;

const AccountPage = lazy(async () => ({ default: (await LOAD.account()).AccountPage }));
const ModerationPage = lazy(async () => ({ default: (await LOAD.moderation()).ModerationPage }));
const AdminPage = lazy(async () => ({ default: (await LOAD.admin()).AdminPage }));

/** All pages of a signed-in user, moderator or administrator. */
function Dashboard() {
  const path = usePath();
  const area = areaOf(path) ?? 'account';
  const key = useNavigationCount();
  useLayoutEffect(() => {
    if (root) root.className = `page ${area}`;
  }, [area]);
  return (
    <Suspense>
      {area === 'admin' ? (
        <AdminPage key={key} path={path} />
      ) : area === 'moderation' ? (
        <ModerationPage key={key} path={path} />
      ) : (
        <AccountPage key={key} path={path} installId={installId} />
      )}
    </Suspense>
  );
}

followLinks();
refuseBlankTexts(document);
// The scripts of an area arrive while the pointer is on its way.
document.addEventListener('pointerover', (event) => {
  const area = areaOf(ownLink(event)?.pathname ?? '');
  if (area) void LOAD[area]();
});

const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 5_000 } } });
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Dashboard />
    </QueryClientProvider>
  </StrictMode>,
);

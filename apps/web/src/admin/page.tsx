import { Loaded, TabNav } from '@svc/ui';
import type { ReactNode } from 'react';
import { NotFound } from '../account/parts.tsx';
import { SignedInPage } from '../account/proof-dialog.tsx';
import { useMe } from '../account/use-store.ts';
import { useTitle } from '../title.ts';
import { Apps } from './apps.tsx';
import { Audit } from './audit.tsx';
import { Emergencies } from './emergencies.tsx';
import { Featured } from './featured.tsx';
import { HealthView } from './health.tsx';
import { Keys } from './keys.tsx';
import { People } from './people.tsx';
import { PolicyView } from './policy.tsx';
import { Publishers } from './publishers.tsx';
import { Settings } from './settings.tsx';
import { WORDS } from './words.ts';

const VIEWS: readonly { path: string; label: string; view: ReactNode }[] = [
  { path: '/admin', label: WORDS.tabs.health, view: <HealthView /> },
  { path: '/admin/people', label: WORDS.tabs.people, view: <People /> },
  { path: '/admin/publishers', label: WORDS.tabs.publishers, view: <Publishers /> },
  { path: '/admin/apps', label: WORDS.tabs.apps, view: <Apps /> },
  { path: '/admin/featured', label: WORDS.tabs.featured, view: <Featured /> },
  { path: '/admin/keys', label: WORDS.tabs.keys, view: <Keys /> },
  { path: '/admin/settings', label: WORDS.tabs.settings, view: <Settings /> },
  { path: '/admin/emergencies', label: WORDS.tabs.emergencies, view: <Emergencies /> },
  { path: '/admin/policy', label: WORDS.tabs.policy, view: <PolicyView /> },
  { path: '/admin/audit', label: WORDS.tabs.audit, view: <Audit /> },
];

/** The administration pages. */
export function AdminPage({ path }: { path: string }) {
  const me = useMe();
  const currentPath = path.replace(/(?<!\/)\/+$/, '');
  const match = VIEWS.find((item) => item.path === currentPath);
  const view = match?.view ?? <NotFound href="/admin" label={WORDS.back} />;
  useTitle(match?.label ?? '');
  return (
    <Loaded query={me} page={WORDS.title}>
      {(data) => (
        <SignedInPage me={data}>
          <TabNav label={WORDS.title} tabs={VIEWS} current={currentPath} />
          <main id="content">{view}</main>
        </SignedInPage>
      )}
    </Loaded>
  );
}

import { Loaded, TabNav } from '@svc/ui';
import type { ReactNode } from 'react';
import { NotFound } from '../account/parts.tsx';
import { RoleGate } from '../account/passkeys.tsx';
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

const VIEWS: readonly { path: string; label: string; view: ReactNode }[] = [
  { path: '/admin', label: 'Health', view: <HealthView /> },
  { path: '/admin/people', label: 'Users', view: <People /> },
  { path: '/admin/publishers', label: 'Publishers', view: <Publishers /> },
  { path: '/admin/apps', label: 'Apps', view: <Apps /> },
  { path: '/admin/featured', label: 'Featured', view: <Featured /> },
  { path: '/admin/keys', label: 'Keys', view: <Keys /> },
  { path: '/admin/settings', label: 'Settings', view: <Settings /> },
  { path: '/admin/emergencies', label: 'Emergencies', view: <Emergencies /> },
  { path: '/admin/policy', label: 'Policy', view: <PolicyView /> },
  { path: '/admin/audit', label: 'Audit log', view: <Audit /> },
];

/** The administration pages. */
export function AdminPage({ path }: { path: string }) {
  const me = useMe();
  const currentPath = path.replace(/(?<!\/)\/+$/, '');
  const match = VIEWS.find((item) => item.path === currentPath);
  const view = match?.view ?? <NotFound href="/admin" label="Administration" />;
  useTitle(match?.label ?? '');
  return (
    <Loaded query={me} page="Administration">
      {(data) => (
        <SignedInPage me={data}>
          <TabNav label="Administration" tabs={VIEWS} current={currentPath} />
          <main id="content">
            <RoleGate>{view}</RoleGate>
          </main>
        </SignedInPage>
      )}
    </Loaded>
  );
}

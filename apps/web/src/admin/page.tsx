import type { ExtensionName } from '@svc/contracts';
import type { ReactNode } from 'react';
import { NotFound } from '../account/parts.tsx';
import { RoleGate } from '../account/passkeys.tsx';
import { AreaPage } from '../account/proof-dialog.tsx';
import { decoded } from '../address.ts';
import { ofStore } from '../extensions/has.ts';
import { partOf } from '../extensions/part.tsx';
import { Apps, AppView } from './apps.tsx';
import { HealthView } from './health.tsx';
import { Audit } from './history.tsx';
import { Keys } from './keys.tsx';
import { People, PersonView } from './people.tsx';
import { PolicyView } from './policy.tsx';
import { Publishers, PublisherView } from './publishers.tsx';
import { Settings } from './settings.tsx';

const Emergencies = partOf(() => import('../extensions/emergencies/emergencies.tsx'), 'Emergencies');
const Featured = partOf(() => import('../extensions/featured/featured.tsx'), 'Featured');
const Managed = partOf(() => import('../extensions/managed/managed.tsx'), 'Managed');
const Upstreams = partOf(() => import('../extensions/upstreams/upstreams.tsx'), 'Upstreams');

const Webhooks = partOf(() => import('../extensions/webhooks/webhooks.tsx'), 'Webhooks');

const VIEWS = ofStore<{ path: string; label: string; extension?: ExtensionName; view: ReactNode }>([
  { path: '/admin', label: 'Health', view: <HealthView /> },
  { path: '/admin/people', label: 'Users', view: <People /> },
  { path: '/admin/publishers', label: 'Publishers', view: <Publishers /> },
  { path: '/admin/apps', label: 'Apps', view: <Apps /> },
  { path: '/admin/featured', label: 'Featured', extension: 'featured', view: <Featured /> },
  { path: '/admin/upstreams', label: 'Upstreams', extension: 'upstreams', view: <Upstreams /> },
  { path: '/admin/managed', label: 'Desktops', extension: 'managed', view: <Managed /> },
  { path: '/admin/keys', label: 'Keys', view: <Keys /> },
  { path: '/admin/settings', label: 'Settings', view: <Settings /> },
  { path: '/admin/webhooks', label: 'Webhooks', extension: 'webhooks', view: <Webhooks /> },
  {
    path: '/admin/emergencies',
    label: 'Emergencies',
    extension: 'emergencies',
    view: <Emergencies />,
  },
  { path: '/admin/policy', label: 'Policy', view: <PolicyView /> },
  { path: '/admin/audit', label: 'Audit log', view: <Audit /> },
]);

/** The pages of one user, one publisher and one app, below their lists. */
const DETAIL = /^(\/admin\/(people|publishers|apps))\/([^/]+)$/;

/** The view of a path, its title, and the tab that it belongs to. */
function pageOf(path: string): { view: ReactNode; title: string; tab: string } {
  const [, list, kind, part] = DETAIL.exec(path) ?? [];
  if (list !== undefined && part !== undefined) {
    const id = decoded(part);
    const view =
      kind === 'people' ? (
        <PersonView key={id} id={id} />
      ) : kind === 'apps' ? (
        <AppView key={id} appId={id} />
      ) : (
        <PublisherView key={id} slug={id} />
      );
    return { view, title: kind === 'people' ? 'User' : id, tab: list };
  }
  const match = VIEWS.find((item) => item.path === path);
  return {
    view: match?.view ?? <NotFound href="/admin" label="Administration" />,
    title: match?.label ?? '',
    tab: path,
  };
}

export function AdminPage({ path }: { path: string }) {
  const { view, title, tab } = pageOf(path);
  return (
    <AreaPage area="Administration" title={title} tabs={VIEWS} current={tab}>
      <RoleGate>{view}</RoleGate>
    </AreaPage>
  );
}

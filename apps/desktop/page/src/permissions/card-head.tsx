import { sealsOf } from '@svc/permissions';
import { SealRow } from '@svc/ui';
import type { ReactNode } from 'react';
import { AppIcon } from '../parts/icon.tsx';
import { isolated } from '../parts/isolated.ts';
import { visible } from '../parts/visible.ts';
import { useProject } from '../shell/use-project.ts';
import { VerifiedBadge } from '../store/verified-badge.tsx';
import { useDesktopQuery } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.permissions;

/** The publisher's badge from the store. Cards do not wait for it, and show none while the store cannot be reached. */
function StoreBadge({ appId, publisher }: { appId: string; publisher: string }) {
  const listed = useDesktopQuery('store.app', { appId }).data?.publisher;
  return listed?.slug === publisher ? <VerifiedBadge publisher={listed} /> : null;
}

/** The seals of the listed version that is installed; none while the store cannot be reached. */
function StoreSeals({ appId, version }: { appId: string; version: string }) {
  const listed = useDesktopQuery('store.app', { appId }).data;
  return listed?.version === version ? <SealRow seals={sealsOf(listed)} /> : null;
}

/**
 * The head of every card: icon, name, publisher with its badge, and app id.
 * @param publisher slug in the verified manifest; null for an app without a publisher
 * @param isOfStore whether the app is from the store, which then knows the publisher's badge
 * @param sealed the version that the user is asked to install: its seals replace the badge
 */
export function CardHead({
  icon,
  name,
  appId,
  publisher,
  isOfStore,
  sealed,
}: {
  icon: ReactNode;
  name: string;
  appId: string;
  publisher: string | null;
  isOfStore: boolean;
  sealed?: string;
}) {
  return (
    <div className="consent-head">
      {icon}
      <div>
        <strong dir="auto">{name}</strong>
        {publisher === null ? null : (
          <p className="soft">
            {MESSAGES.publisher} <bdi>{visible(publisher)}</bdi>{' '}
            {isOfStore && sealed === undefined ? <StoreBadge appId={appId} publisher={publisher} /> : null}
          </p>
        )}
        <p className="soft">
          <code>{visible(appId)}</code>
        </p>
        {sealed === undefined ? null : <StoreSeals appId={appId} version={sealed} />}
      </div>
    </div>
  );
}

/** The head of a card of an installed app. */
export function InstalledAppHead({
  app,
}: {
  app: { appId: string; name: string; version: string; publisher: string | null };
}) {
  const { appId, name, version, publisher } = app;
  const project = useProject();
  const { data } = useDesktopQuery('apps.list', { project: project.id });
  const source = data?.apps.find((listed) => listed.appId === appId)?.source;
  return (
    <CardHead
      icon={<AppIcon appId={appId} version={version} name={name} />}
      {...{ name: `${isolated(name)} ${visible(version)}`, appId, publisher }}
      isOfStore={source?.kind === 'store'}
    />
  );
}

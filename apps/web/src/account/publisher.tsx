import type { PublisherDetail } from '@svc/contracts';
import { TabNav } from '@svc/ui';
import type { ReactNode } from 'react';
import { Apps } from '../dashboard/apps.tsx';
import { Members } from './members.tsx';
import { day, Loaded } from './parts.tsx';
import { Settings } from './settings.tsx';
import { Tokens } from './tokens.tsx';
import { useRead } from './use-store.ts';
import { VerifiedBadge } from './verified-badge.tsx';
import { Website } from './website.tsx';

type Tab = {
  /** Last part of its address; the first tab has the address of the publisher. */
  id: string;
  label: string;
  /** Only owners may do what is there. */
  owners?: true;
  view(publisher: PublisherDetail): ReactNode;
};

const TABS: readonly Tab[] = [
  { id: '', label: 'Apps', view: (publisher) => <Apps publisher={publisher} /> },
  { id: 'members', label: 'Members', view: (publisher) => <Members publisher={publisher} /> },
  {
    id: 'tokens',
    label: 'Tokens',
    owners: true,
    view: ({ slug }) => (
      <Tokens
        title="Tokens of the publisher"
        hint="For its automation. They stay when the person who made them leaves."
        path={`/api/publishers/${slug}/tokens`}
      />
    ),
  },
  { id: 'website', label: 'Website', view: (publisher) => <Website publisher={publisher} /> },
  {
    id: 'settings',
    label: 'Settings',
    owners: true,
    view: (publisher) => <Settings publisher={publisher} />,
  },
];

/** What each tab of a publisher is called, by the last part of its address. */
export const PUBLISHER_TABS: ReadonlyMap<string, string> = new Map(TABS.map(({ id, label }) => [id, label]));

/** What has to be known of a publisher on each of its tabs. */
function Notices({ publisher: { pendingName, suspended } }: { publisher: PublisherDetail }) {
  return (
    <>
      {pendingName ? (
        <p role="status">
          The new name “<bdi>{pendingName.name}</bdi>” waits for an administrator since{' '}
          {day(pendingName.askedAt)}. Until then the old one stands. To take it back, save the old name again.
        </p>
      ) : null}
      {suspended ? (
        <p className="fault">
          This publisher is suspended: nothing of it is listed, and nothing can be published.
        </p>
      ) : null}
    </>
  );
}

/**
 * A publisher, for those who act for it, one tab at a time.
 * @param tab last part of the address; empty for the apps
 */
export function PublisherView({ slug, tab }: { slug: string; tab: string }) {
  const detail = useRead<PublisherDetail>(`/api/publishers/${slug}`);
  const home = `/account/publishers/${slug}`;
  const shown = TABS.find(({ id }) => id === tab);
  return (
    <Loaded query={detail} page={slug}>
      {(publisher) => {
        const isOwner = publisher.role === 'owner';
        const tabs = TABS.filter(({ owners }) => isOwner || !owners);
        return (
          <>
            <h1>
              <bdi>{publisher.name}</bdi> <code>{slug}</code> <VerifiedBadge {...publisher} />
            </h1>
            <TabNav
              label="Publisher"
              tabs={tabs.map(({ id, label }) => ({ path: id === '' ? home : `${home}/${id}`, label }))}
              current={tab === '' ? home : `${home}/${tab}`}
            />
            <Notices publisher={publisher} />
            {shown?.owners && !isOwner ? (
              <p>Only owners of the publisher can open this page.</p>
            ) : (
              shown?.view(publisher)
            )}
          </>
        );
      }}
    </Loaded>
  );
}

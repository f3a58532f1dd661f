import type { PublisherDetail } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { day, Loaded, TabNav } from '@svc/ui';
import type { ReactNode } from 'react';
import { Apps } from '../dashboard/apps.tsx';
import { DeletePublisher, Offers } from '../dashboard/life.tsx';
import { Decisions } from './decisions.tsx';
import { Members } from './members.tsx';
import { Settings } from './settings.tsx';
import { Tokens } from './tokens.tsx';
import { TrustedPublishing } from './trusted-publishing.tsx';
import { useRead } from './use-store.ts';
import { VerifiedBadge } from './verified-badge.tsx';
import { Webhooks } from './webhooks.tsx';
import { Website } from './website.tsx';

type Tab = {
  /** Last part of its path; empty for the first tab, whose path is that of the publisher. */
  id: string;
  label: string;
  /** Whether only owners can open the tab. */
  owners?: true;
  view(publisher: PublisherDetail): ReactNode;
};

const TABS: readonly Tab[] = [
  {
    id: '',
    label: 'Apps',
    view: (publisher) => (
      <>
        <Offers publisher={publisher} />
        <Apps publisher={publisher} />
      </>
    ),
  },
  { id: 'members', label: 'Members', view: (publisher) => <Members publisher={publisher} /> },
  {
    id: 'tokens',
    label: 'Tokens',
    owners: true,
    view: ({ slug }) => (
      <>
        <Tokens
          title="Publisher tokens"
          hint="For automation. A token keeps working when the member who created it leaves."
          slug={slug}
        />
        <TrustedPublishing slug={slug} />
      </>
    ),
  },
  { id: 'decisions', label: 'Decisions', view: ({ slug }) => <Decisions slug={slug} /> },
  { id: 'website', label: 'Website', view: (publisher) => <Website publisher={publisher} /> },
  {
    id: 'settings',
    label: 'Settings',
    owners: true,
    view: (publisher) => (
      <>
        <Settings publisher={publisher} />
        <Webhooks publisher={publisher.slug} />
        <DeletePublisher slug={publisher.slug} />
      </>
    ),
  },
];

/** The labels of the tabs, by the last part of their paths. */
export const PUBLISHER_TABS: ReadonlyMap<string, string> = new Map(TABS.map(({ id, label }) => [id, label]));

/** Notices that every tab of a publisher shows. */
function Notices({ publisher: { pendingName, suspended } }: { publisher: PublisherDetail }) {
  return (
    <>
      {pendingName ? (
        <p role="status">
          An administrator has to approve the new name “<bdi>{pendingName.name}</bdi>”, requested on{' '}
          {day(pendingName.askedAt)}. To cancel the request, save the current name again.
        </p>
      ) : null}
      {suspended ? (
        <p className="fault">This publisher is suspended: its apps are not listed, and it cannot publish.</p>
      ) : null}
    </>
  );
}

/**
 * The pages of a publisher for its members, one tab at a time.
 * @param tab last part of the path; empty for the apps
 */
export function PublisherView({ slug, tab }: { slug: string; tab: string }) {
  const detail = useRead(apiRequest('GET /api/publishers/:slug', { params: { slug } }));
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

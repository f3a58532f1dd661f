import type { ExtensionName, PublisherDetail } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { verdictOf } from '@svc/permissions';
import { Button, day, ErrorMessage, Field, Loaded, moment, Rows, TabNav, textOf, Verdict } from '@svc/ui';
import type { ReactNode } from 'react';
import { Apps } from '../dashboard/apps.tsx';
import { DeletePublisher, Offers } from '../dashboard/life.tsx';
import { hasExtension, ofStore } from '../extensions/has.ts';
import { partOf } from '../extensions/part.tsx';
import { Members } from './members.tsx';
import { Card, ChangeForm, Initials, Named, Secret } from './parts.tsx';
import { Storage, StorageNotice } from './storage.tsx';
import { useChange, useRead } from './use-store.ts';

const Tokens = partOf(() => import('./tokens.tsx'), 'Tokens');
const Decisions = partOf(() => import('../extensions/appeals/decisions.tsx'), 'Decisions');
const TrustedPublishing = partOf(
  () => import('../extensions/ci/trusted-publishing.tsx'),
  'TrustedPublishing',
);
const Webhooks = partOf(() => import('../extensions/webhooks/webhooks.tsx'), 'Webhooks');

type Verification = PublisherDetail['verification'];

function VerificationStatus({ verifiedBy, checkedAt, missingSince }: Verification) {
  if (verifiedBy === 'administrator') return <p className="good">Verified by the operator of this store.</p>;
  if (verifiedBy === null)
    return <p>Not verified. Apps of verified publishers need fewer reviews and rank higher in search.</p>;
  return (
    <>
      <p className="good">
        Verified by its website{checkedAt === null ? '' : `, last checked ${moment(checkedAt)}`}.
      </p>
      {missingSince === null ? null : (
        <p className="fault">
          The record or file has been missing since {day(missingSince)}. Restore it, or the verification ends.
        </p>
      )}
    </>
  );
}

function Check({ slug }: { slug: string }) {
  const check = useChange(() => apiRequest('POST /api/publishers/:slug/verify', { params: { slug } }));
  return (
    <>
      <div className="buttons">
        <Button
          label="Check now"
          busy="Checking…"
          className="main"
          runs={check}
          onClick={() => check.mutate()}
        />
      </div>
      <div role="status">
        <Rows of={check.data?.checks ?? []}>
          {({ place, at, found, message }) => (
            <li key={place}>
              <div>
                <code>{at}</code>
                <p className={found ? 'good' : 'fault'}>{message}</p>
              </div>
            </li>
          )}
        </Rows>
      </div>
      <ErrorMessage error={check.error} />
    </>
  );
}

/** The website of a publisher; owners can change it. */
function Address({ publisher: { slug, website, role } }: { publisher: PublisherDetail }) {
  const request = (data: FormData) =>
    apiRequest('PATCH /api/publishers/:slug', {
      params: { slug },
      json: { website: textOf(data, 'website') || null },
    });
  if (role !== 'owner') return <p>{website === undefined ? 'No website yet.' : <code>{website}</code>}</p>;
  return (
    <ChangeForm action="Save" request={request} status={() => 'Saved.'}>
      <Field
        key={website}
        label="Website"
        hint="A new host has to be verified again."
        name="website"
        type="url"
        placeholder="https://"
        defaultValue={website ?? ''}
      />
    </ChangeForm>
  );
}

/** The way to a verification, before there is a website that leads on. */
const FirstSave = () => (
  <ol className="steps">
    <li className="now" aria-current="step">
      <strong>Save the website above</strong>
      <p>Its host is what users see beside your name, such as example.com.</p>
    </li>
    <li className="ahead">
      <strong>Publish a proof there</strong>
      <p>A TXT record of its domain, or a file on it. Its text is shown here after the save.</p>
    </li>
    <li className="ahead">
      <strong>Check now</strong>
      <p>The store reads the proof at once, and again each week.</p>
    </li>
  </ol>
);

function Verify({ publisher: { verification, role, slug, website } }: { publisher: PublisherDetail }) {
  const isOpen = role === 'owner' && verification.verifiedBy !== 'administrator';
  return (
    <Card title="Verification">
      <VerificationStatus {...verification} />
      {website === undefined && isOpen ? <FirstSave /> : null}
      {isOpen && verification.publish ? (
        <>
          <p>Publish one of these, then check it. Keep it published: the store checks it again each week.</p>
          <Secret
            label={`TXT record at ${verification.publish.dns.name}`}
            text={verification.publish.dns.value}
          />
          <Secret
            label={`or a file at ${verification.publish.file.url}`}
            text={verification.publish.file.text}
          />
          <Check slug={slug} />
        </>
      ) : null}
    </Card>
  );
}

/** The website of a publisher, and its verification. */
const Website = ({ publisher }: { publisher: PublisherDetail }) => (
  <>
    <Card title="Website">
      <Address publisher={publisher} />
    </Card>
    <Verify publisher={publisher} />
  </>
);

/** The settings of a publisher, apart from its website. */
function Settings({ publisher: { slug, name, verified, storage } }: { publisher: PublisherDetail }) {
  const request = (data: FormData) =>
    apiRequest('PATCH /api/publishers/:slug', { params: { slug }, json: { name: textOf(data, 'name') } });
  return (
    <>
      <Card title="Name">
        <ChangeForm action="Save" request={request} status={() => 'Saved.'}>
          <Field
            key={name}
            label="Name"
            hint={
              verified
                ? 'Your publisher is verified: an administrator has to approve a new name.'
                : 'Shown next to your apps. It must not look like the name of another publisher.'
            }
            name="name"
            required
            maxLength={80}
            defaultValue={name}
          />
        </ChangeForm>
      </Card>
      <Storage storage={storage} />
      <Card title="Short name">
        <p>
          <code>{slug}</code> is the <code>publisher</code> of every plugin.json. It cannot change.
        </p>
      </Card>
    </>
  );
}

type Tab = {
  /** Last part of its path; empty for the first tab, whose path is that of the publisher. */
  id: string;
  label: string;
  /** Whether only owners can open the tab. */
  owners?: true;
  extension?: ExtensionName;
  view(publisher: PublisherDetail): ReactNode;
};

const TABS = ofStore<Tab>([
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
        {hasExtension('ci') ? <TrustedPublishing slug={slug} /> : null}
      </>
    ),
  },
  {
    id: 'decisions',
    label: 'Decisions',
    extension: 'appeals',
    view: ({ slug }) => <Decisions slug={slug} />,
  },
  { id: 'website', label: 'Website', view: (publisher) => <Website publisher={publisher} /> },
  {
    id: 'settings',
    label: 'Settings',
    owners: true,
    view: (publisher) => (
      <>
        <Settings publisher={publisher} />
        {hasExtension('webhooks') ? <Webhooks publisher={publisher.slug} /> : null}
        <DeletePublisher slug={publisher.slug} />
      </>
    ),
  },
]);

/** The labels of the tabs, by the last part of their paths. */
export const PUBLISHER_TABS: ReadonlyMap<string, string> = new Map(TABS.map(({ id, label }) => [id, label]));

/** Notices that every tab of a publisher shows. */
function Notices({ publisher: { slug, pendingName, suspended, storage } }: { publisher: PublisherDetail }) {
  return (
    <>
      {pendingName ? (
        <p role="status">
          An administrator has to approve the new name “<bdi>{pendingName.name}</bdi>”, requested on{' '}
          {day(pendingName.askedAt)}. To cancel the request, save the current name again.
        </p>
      ) : null}
      <StorageNotice storage={storage} />
      {suspended ? (
        <p className="fault">
          This publisher is suspended: its apps are not listed, and it cannot publish.{' '}
          {hasExtension('appeals') ? (
            <a href={`/account/publishers/${slug}/decisions`}>Why, and how to appeal</a>
          ) : null}
        </p>
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
    <Loaded query={detail} page={slug} back={<a href="/account/publishers">Your publishers</a>}>
      {(publisher) => {
        const isOwner = publisher.role === 'owner';
        const tabs = TABS.filter(({ owners }) => isOwner || !owners);
        return (
          <>
            <Named picture={<Initials name={publisher.name} />}>
              <h1>
                <bdi>{publisher.name}</bdi> <Verdict of={verdictOf({ publisher })} />
              </h1>
              <code className="soft">{slug}</code>
            </Named>
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

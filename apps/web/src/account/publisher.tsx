import type { PublisherDetail } from '@svc/contracts';
import { Apps } from '../dashboard/apps.tsx';
import { Members } from './members.tsx';
import { Card, day, ErrorMessage, Field, Fields, Loaded, textOf } from './parts.tsx';
import { Tokens } from './tokens.tsx';
import { useChange, useRead } from './use-store.ts';
import { VerifiedBadge } from './verified-badge.tsx';
import { Website } from './website.tsx';

function Edit({ publisher }: { publisher: PublisherDetail }) {
  const path = `/api/publishers/${publisher.slug}`;
  const edit = useChange((json: { name: string; website: string | null }) => ({
    method: 'PATCH',
    path,
    json,
  }));
  const submit = (data: FormData) =>
    edit.mutateAsync({ name: textOf(data, 'name'), website: textOf(data, 'website') || null });
  return (
    <Card title="Name and website">
      <Fields action="Save" busy={edit.isPending} submit={submit}>
        <Field
          key={publisher.name}
          label="Name"
          {...(publisher.verified && { hint: 'You are verified: a new name waits for an administrator.' })}
          name="name"
          required
          maxLength={80}
          defaultValue={publisher.name}
        />
        <Field
          key={publisher.website}
          label="Website"
          hint="Another host has to be shown to be yours again."
          name="website"
          type="url"
          defaultValue={publisher.website ?? ''}
        />
      </Fields>
      <ErrorMessage error={edit.error} />
    </Card>
  );
}

/** A publisher, for those who act for it; what only owners may do is shown to them alone. */
export function PublisherView({ slug }: { slug: string }) {
  const path = `/api/publishers/${slug}`;
  const detail = useRead<PublisherDetail>(path);
  return (
    <Loaded query={detail}>
      {(publisher) => (
        <>
          <h1>
            <bdi>{publisher.name}</bdi> <code>{slug}</code> <VerifiedBadge {...publisher} />
          </h1>
          {publisher.pendingName ? (
            <p role="status">
              The new name “<bdi>{publisher.pendingName.name}</bdi>” waits for an administrator since{' '}
              {day(publisher.pendingName.askedAt)}. Until then the old one stands. To take it back, save the
              old name again.
            </p>
          ) : null}
          {publisher.suspended ? (
            <p className="fault">
              This publisher is suspended: nothing of it is listed, and nothing can be published.
            </p>
          ) : null}
          <Apps publisher={publisher} />
          <Website publisher={publisher} />
          <Members publisher={publisher} />
          {publisher.role === 'owner' ? (
            <>
              <Tokens
                title="Tokens of the publisher"
                hint="For its automation. They stay when the person who made them leaves."
                path={`${path}/tokens`}
              />
              <Edit publisher={publisher} />
            </>
          ) : null}
        </>
      )}
    </Loaded>
  );
}

import type { Publisher, PublisherPage } from '@svc/contracts';
import { Card, ConfirmButton, day, ErrorMessage, Field, Fields, Loaded, textOf } from '../account/parts.tsx';
import { useChange } from '../account/use-store.ts';
import { VerifiedBadge } from '../account/verified-badge.tsx';
import { useAsked } from './address.ts';
import { Choice, Filters, More, YES_OR_NO } from './list.tsx';
import { NameRequests } from './name-requests.tsx';
import { usePages } from './use-pages.ts';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.publishers;
const PATH = '/api/admin/publishers';

function Row({ publisher }: { publisher: Publisher }) {
  const { slug, name, website, verified, suspended, createdAt } = publisher;
  const change = useChange<unknown, { verified?: boolean; suspended?: boolean }>((json) => ({
    method: 'PATCH',
    path: `${PATH}/${slug}`,
    json,
  }));
  return (
    <li>
      <div>
        <bdi>{name}</bdi> <code>{slug}</code> <VerifiedBadge {...publisher} />{' '}
        {suspended ? <span className="badge fault">{WORDS.suspended}</span> : null}
        <p className="soft">
          {website === undefined ? '' : `${website}, `}
          {WORDS.people.since(day(createdAt))}
        </p>
        <ErrorMessage error={change.error} />
      </div>
      <span className="buttons">
        {verified ? (
          <ConfirmButton
            tone="quiet"
            label={MESSAGES.unverify}
            sure={MESSAGES.unverifySure(name)}
            act={() => change.mutate({ verified: false })}
          />
        ) : (
          <ConfirmButton
            tone="plain"
            label={MESSAGES.verify}
            sure={MESSAGES.verifySure(name)}
            act={() => change.mutate({ verified: true })}
          />
        )}
        {suspended ? (
          <button type="button" onClick={() => change.mutate({ suspended: false })}>
            {WORDS.unsuspend}
          </button>
        ) : (
          <ConfirmButton
            tone="quiet"
            label={WORDS.suspend}
            sure={MESSAGES.suspendSure(name)}
            act={() => change.mutate({ suspended: true })}
          />
        )}
      </span>
    </li>
  );
}

function NewPublisher() {
  const make = useChange<unknown, object>((json) => ({ method: 'POST', path: PATH, json }));
  const submit = (data: FormData) => {
    const website = textOf(data, 'website');
    return make.mutateAsync({
      slug: textOf(data, 'slug'),
      name: textOf(data, 'name'),
      ...(website && { website }),
    });
  };
  return (
    <Card title={MESSAGES.make}>
      <Fields action={MESSAGES.makeIt} busy={make.isPending} submit={submit}>
        <Field label={MESSAGES.name} name="name" required maxLength={80} />
        <Field
          label={MESSAGES.slug}
          name="slug"
          required
          maxLength={40}
          pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?"
          autoCapitalize="none"
          spellCheck={false}
        />
        <Field label={MESSAGES.website} name="website" type="url" placeholder="https://" />
      </Fields>
      <ErrorMessage error={make.error} />
    </Card>
  );
}

/** Who publishes here: whom the store vouches for, and who is suspended. */
export function Publishers() {
  const narrowed = useAsked(['q', 'verified', 'suspended']);
  const publishers = usePages<PublisherPage>(PATH, narrowed);
  return (
    <>
      <h1>{MESSAGES.title}</h1>
      <Filters>
        <label>
          {MESSAGES.q}
          <input type="search" name="q" defaultValue={narrowed.q} maxLength={80} />
        </label>
        <Choice label={MESSAGES.verified} name="verified" value={narrowed.verified} options={YES_OR_NO} />
        <Choice label={WORDS.isSuspended} name="suspended" value={narrowed.suspended} options={YES_OR_NO} />
      </Filters>
      <Card title={MESSAGES.title}>
        <Loaded query={publishers}>
          {(pages) => (
            <ul className="rows">
              {pages
                .flatMap((page) => page.publishers)
                .map((publisher) => (
                  <Row key={publisher.slug} publisher={publisher} />
                ))}
            </ul>
          )}
        </Loaded>
        <More more={publishers.more} />
      </Card>
      <NameRequests />
      <NewPublisher />
    </>
  );
}

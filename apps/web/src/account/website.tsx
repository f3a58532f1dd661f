import type { PublisherDetail, VerificationResult } from '@svc/contracts';
import { Card, Copied, day, ErrorMessage, Field, Fields, moment, textOf } from './parts.tsx';
import { useChange } from './use-store.ts';

type Verification = PublisherDetail['verification'];

function VerificationStatus({ verifiedBy, checkedAt, missingSince }: Verification) {
  if (verifiedBy === 'administrator') return <p className="good">Verified by the operator of this store.</p>;
  if (verifiedBy === null)
    return <p>Not verified. Apps of verified publishers are reviewed less and found sooner.</p>;
  return (
    <>
      <p className="good">
        Verified by its website{checkedAt === null ? '' : `, last looked at ${moment(checkedAt)}`}.
      </p>
      {missingSince === null ? null : (
        <p className="fault">
          What shows it has been missing since {day(missingSince)}: put it back, or the verification is taken
          away.
        </p>
      )}
    </>
  );
}

function Check({ slug }: { slug: string }) {
  const check = useChange<VerificationResult>(() => ({
    method: 'POST',
    path: `/api/publishers/${slug}/verify`,
  }));
  return (
    <>
      <div className="buttons">
        <button type="button" className="main" disabled={check.isPending} onClick={() => check.mutate()}>
          {check.isPending ? 'Looking…' : 'Look now'}
        </button>
      </div>
      <div role="status">
        <ul className="rows">
          {check.data?.checks.map(({ place, at, found, message }) => (
            <li key={place}>
              <div>
                <code>{at}</code>
                <p className={found ? 'good' : 'fault'}>{message}</p>
              </div>
            </li>
          ))}
        </ul>
      </div>
      <ErrorMessage error={check.error} />
    </>
  );
}

/** The address of the website, which owners change. */
function Address({ publisher: { slug, website, role } }: { publisher: PublisherDetail }) {
  const edit = useChange((json: { website: string | null }) => ({
    method: 'PATCH',
    path: `/api/publishers/${slug}`,
    json,
  }));
  if (role !== 'owner') return <p>{website === undefined ? 'No website yet.' : <code>{website}</code>}</p>;
  return (
    <>
      <Fields
        action="Save"
        busy={edit.isPending}
        submit={(data) => edit.mutateAsync({ website: textOf(data, 'website') || null })}
      >
        <Field
          key={website}
          label="Website"
          hint="Another host has to be shown to be yours again."
          name="website"
          type="url"
          placeholder="https://"
          defaultValue={website ?? ''}
        />
      </Fields>
      <ErrorMessage error={edit.error} />
    </>
  );
}

function Verify({ publisher: { verification, role, slug, website } }: { publisher: PublisherDetail }) {
  const isOpen = role === 'owner' && verification.verifiedBy !== 'administrator';
  return (
    <Card title="Verification">
      <VerificationStatus {...verification} />
      {website === undefined && isOpen ? <p>Save a website first.</p> : null}
      {isOpen && verification.publish ? (
        <>
          <p>Publish one of these two, then check it. Leave it there: the store checks it again each week.</p>
          <Copied
            label={`TXT record at ${verification.publish.dns.name}`}
            text={verification.publish.dns.value}
          />
          <Copied
            label={`or a file at ${verification.publish.file.url}`}
            text={verification.publish.file.text}
          />
          <Check slug={slug} />
        </>
      ) : null}
    </Card>
  );
}

/** The website of a publisher, and how the publisher shows that it is its own. */
export const Website = ({ publisher }: { publisher: PublisherDetail }) => (
  <>
    <Card title="Website">
      <Address publisher={publisher} />
    </Card>
    <Verify publisher={publisher} />
  </>
);

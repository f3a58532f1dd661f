import type { PublisherDetail } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { day, ErrorMessage, Field, moment } from '@svc/ui';
import { Card, Fields, Secret, textOf } from './parts.tsx';
import { useChange } from './use-store.ts';

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
        <button type="button" className="main" disabled={check.isPending} onClick={() => check.mutate()}>
          {check.isPending ? 'Checking…' : 'Check now'}
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

/** The website of a publisher; owners can change it. */
function Address({ publisher: { slug, website, role } }: { publisher: PublisherDetail }) {
  const edit = useChange((json: { website: string | null }) =>
    apiRequest('PATCH /api/publishers/:slug', { params: { slug }, json }),
  );
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
          hint="A new host has to be verified again."
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
export const Website = ({ publisher }: { publisher: PublisherDetail }) => (
  <>
    <Card title="Website">
      <Address publisher={publisher} />
    </Card>
    <Verify publisher={publisher} />
  </>
);

import type { PublisherDetail, VerificationResult } from '@svc/contracts';
import { Card, Copied, day, ErrorMessage, moment } from './parts.tsx';
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

/** How a publisher shows that its website is its own. */
export function Website({ publisher }: { publisher: PublisherDetail }) {
  const { verification, role, slug, website } = publisher;
  const isOpen = role === 'owner' && verification.verifiedBy !== 'administrator';
  return (
    <Card title="Verification">
      <VerificationStatus {...verification} />
      {website === undefined && isOpen ? <p>Add a website below first.</p> : null}
      {isOpen && verification.publish ? (
        <>
          <p>
            Publish one of these two, then have it looked at. It may stay: it is looked for again each week.
          </p>
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

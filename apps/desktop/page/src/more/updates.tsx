import { moment } from '../parts/figures.ts';
import { Fault, Heading, Section } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import { useDo } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const SAY = WORDS.updates;

function Newer() {
  const update = useDo('apps.update');
  return (
    <Section title={SAY.updates}>
      <p className="soft">{SAY.updatesHint}</p>
      <button type="button" className="main" disabled={update.isPending} onClick={() => update.mutate({})}>
        {update.isPending ? SAY.checking : SAY.check}
      </button>
      <Fault error={update.error} />
      <div role="status">
        {update.data?.outcomes.length === 0 ? <p>{SAY.none}</p> : null}
        <ul className="rows">
          {(update.data?.outcomes ?? []).map((outcome) => (
            <li key={outcome.appId}>
              <div>
                <code>{visible(outcome.appId)}</code>
                <p className={outcome.outcome === 'refused' ? 'fault' : 'soft'}>
                  {visible(SAY.outcome(outcome))}
                </p>
              </div>
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}

function Revocations() {
  const check = useDo('apps.checkRevocations');
  const { data } = check;
  return (
    <Section title={SAY.revocations}>
      <p className="soft">{SAY.revocationsHint}</p>
      <button type="button" className="main" disabled={check.isPending} onClick={() => check.mutate({})}>
        {check.isPending ? SAY.checking : SAY.check}
      </button>
      <Fault error={check.error} />
      <div role="status">
        {data ? (
          <>
            <p>{data.signedAt === null ? SAY.noList : SAY.signedAt(moment(data.signedAt))}</p>
            {data.refused === null ? null : <p className="fault">{SAY.refused(visible(data.refused))}</p>}
            {data.ahead ? <p className="fault">{SAY.ahead}</p> : null}
            <p className={data.stale ? 'fault' : 'good'}>{data.stale ? SAY.stale : SAY.fresh}</p>
          </>
        ) : null}
      </div>
    </Section>
  );
}

/** Newer versions, and versions that must not run. */
export function Updates() {
  return (
    <>
      <Heading>{WORDS.pages.updates}</Heading>
      <Newer />
      <Revocations />
    </>
  );
}

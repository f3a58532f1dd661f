import { moment } from '../parts/figures.ts';
import { ErrorMessage, Heading, Section } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import { useDesktopMutation } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.updates;

function Newer() {
  const update = useDesktopMutation('apps.update');
  return (
    <Section title={MESSAGES.updates}>
      <p className="soft">{MESSAGES.updatesHint}</p>
      <button type="button" className="main" disabled={update.isPending} onClick={() => update.mutate({})}>
        {update.isPending ? MESSAGES.checking : MESSAGES.check}
      </button>
      <ErrorMessage error={update.error} />
      <div role="status">
        {update.data?.outcomes.length === 0 ? <p>{MESSAGES.none}</p> : null}
        <ul className="rows">
          {(update.data?.outcomes ?? []).map((outcome) => (
            <li key={outcome.appId}>
              <div>
                <code>{visible(outcome.appId)}</code>
                <p className={outcome.outcome === 'refused' ? 'fault' : 'soft'}>
                  {visible(MESSAGES.outcome(outcome))}
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
  const check = useDesktopMutation('apps.checkRevocations');
  const { data } = check;
  return (
    <Section title={MESSAGES.revocations}>
      <p className="soft">{MESSAGES.revocationsHint}</p>
      <button type="button" className="main" disabled={check.isPending} onClick={() => check.mutate({})}>
        {check.isPending ? MESSAGES.checking : MESSAGES.check}
      </button>
      <ErrorMessage error={check.error} />
      <div role="status">
        {data ? (
          <>
            <p>{data.signedAt === null ? MESSAGES.noList : MESSAGES.signedAt(moment(data.signedAt))}</p>
            {data.refused === null ? null : (
              <p className="fault">{MESSAGES.refused(visible(data.refused))}</p>
            )}
            {data.ahead ? <p className="fault">{MESSAGES.ahead}</p> : null}
            <p className={data.stale ? 'fault' : 'good'}>{data.stale ? MESSAGES.stale : MESSAGES.fresh}</p>
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

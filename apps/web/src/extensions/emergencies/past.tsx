import type { Emergencies, Emergency } from '@svc/contracts';
import { type ApiRequest, apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { count, Field, moment, textOf } from '@svc/ui';
import { ChangeButton, ChangeForm } from '../../account/parts.tsx';
import { useActor } from '../../account/use-store.ts';
import { Reach, Subject } from './subject.tsx';

/** A form with a reason, in a disclosure. */
const WithReason = ({
  label,
  effect,
  request,
}: {
  label: string;
  effect: string;
  request(json: { reason: string }): ApiRequest<unknown>;
}) => (
  <details>
    <summary>{label}</summary>
    <p className="soft">{effect}</p>
    <ChangeForm action={label} request={(data) => request({ reason: textOf(data, 'reason') })}>
      <Field label="Reason, recorded" name="reason" required maxLength={2_000} />
    </ChangeForm>
  </details>
);

/** What an administrator can still do about an emergency. */
function Decide({ id, state, startedBy }: Pick<Emergency, 'id' | 'state' | 'startedBy'>) {
  const isOwn = startedBy === useActor();
  const params = { id };
  return (
    <>
      {state === 'waiting' ? (
        <>
          {isOwn ? (
            <p>Another administrator must confirm it: tell one. Each sees it on their Health page.</p>
          ) : (
            <ChangeButton
              label="Confirm"
              sure="Carry it out now?"
              request={() => apiRequest('POST /api/admin/emergencies/:id/confirm', { params })}
            />
          )}
          <WithReason
            label={isOwn ? 'Withdraw' : 'Refuse'}
            effect="Nothing happens to the publisher, its apps or their users."
            request={(json) => apiRequest('POST /api/admin/emergencies/:id/refuse', { params, json })}
          />
        </>
      ) : null}
      {state === 'done' ? (
        <WithReason
          label="Undo"
          effect="Publishes the yanked versions again and ends the suspension. Tokens and sessions stay ended: their owners make new ones."
          request={(json) => apiRequest('POST /api/admin/emergencies/:id/undo', { params, json })}
        />
      ) : null}
    </>
  );
}

/** An emergency of the past, or one that waits for a second administrator. */
export function Past({
  emergency,
  names,
  apps,
}: { emergency: Emergency } & Pick<Emergencies, 'names' | 'apps'>) {
  const { state, publisher, appId, reason, startedBy, startedAt, decidedBy, effects, reach } = emergency;
  const { undoneBy, undoneAt } = emergency;
  const nameOf = (by: string) => visible(names[by] ?? by);
  return (
    <li>
      <div>
        <Subject
          id={appId ?? publisher}
          name={names[`publisher:${publisher}`] ?? publisher}
          app={appId === null ? null : (apps[appId] ?? null)}
        >
          <span className={state === 'waiting' ? 'badge fault' : 'badge'}>{state}</span>
        </Subject>
        <p className="soft">
          {`started by ${nameOf(startedBy)}, ${moment(startedAt)}`}
          {decidedBy === null || decidedBy === startedBy ? '' : `, decided by ${nameOf(decidedBy)}`}
          {undoneBy === null || undoneAt === null
            ? ''
            : `, undone by ${nameOf(undoneBy)}, ${moment(undoneAt)}`}
        </p>
        <p className="plain">{visible(reason)}</p>
        {effects ? (
          <p className="soft">{`${count(effects.versionsYanked, 'version')} yanked${effects.suspended ? ', suspended' : ''}, ${count(effects.tokensRevoked, 'token')} revoked, ${count(effects.sessionsEnded, 'session')} ended${effects.membersSuspended?.length ? `, ${count(effects.membersSuspended.length, 'account')} suspended` : ''}`}</p>
        ) : (
          <Reach reach={reach} />
        )}
        <Decide {...emergency} />
      </div>
    </li>
  );
}

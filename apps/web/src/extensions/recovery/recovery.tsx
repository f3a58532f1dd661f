import type { RecoveredAct } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { ButtonLink, EmptyState, Loaded, moment, Rows } from '@svc/ui';
import { Card, ChangeButton } from '../../account/parts.tsx';
import { useRead } from '../../account/use-store.ts';

const STATES: Readonly<Record<RecoveredAct['state'], string>> = {
  open: '',
  ended: 'no longer in effect',
  final: '',
};

const NONE = 'After a recovery, this page lists what was done in your name before it.';
const NOTHING =
  'In the 30 days before you recovered your account, nothing was done in its name that gives access or changes a publisher.';

function ActItem({ id, at, words, publisher, state, hint }: RecoveredAct) {
  const text = visible(words);
  return (
    <li>
      <div>
        <strong>{text.charAt(0).toUpperCase() + text.slice(1)}</strong>{' '}
        {STATES[state] === '' ? null : <span className="badge">{STATES[state]}</span>}
        <p className="soft">
          {moment(at)}
          {publisher === null ? null : <>, publisher {publisher}</>}
          {hint === '' ? null : <>. {hint}</>}
        </p>
      </div>
      {state === 'open' ? (
        <ChangeButton
          label="Undo"
          sure={`Undo: ${text}?`}
          tone="bad"
          request={() => apiRequest('POST /api/people/me/recovery/:id/undo', { params: { id: String(id) } })}
        />
      ) : null}
    </li>
  );
}

/** What was done in the name of the account in the 30 days before its recovery, and how to undo it. */
export function RecoveryView() {
  const acts = useRead(apiRequest('GET /api/people/me/recovery'));
  return (
    <>
      <h1>Before you recovered your account</h1>
      <Card>
        <Loaded query={acts}>
          {({ recoveredAt, acts: listed }) =>
            recoveredAt === null || listed.length === 0 ? (
              <EmptyState
                icon="inbox"
                title={recoveredAt === null ? 'No recovery in the last 30 days' : 'Nothing to undo'}
              >
                <p>{recoveredAt === null ? NONE : NOTHING}</p>
              </EmptyState>
            ) : (
              <>
                <p>
                  You recovered your account on {moment(recoveredAt)}. In the 30 days before, this was done in
                  its name. Undo what was not you. Sessions, passkeys, tokens, workflows, webhooks and
                  invitations from before have ended.
                </p>
                <Rows of={listed}>{(act) => <ActItem key={act.id} {...act} />}</Rows>
              </>
            )
          }
        </Loaded>
        <p>
          <ButtonLink label="Go to your account" href="/account" />
        </p>
      </Card>
    </>
  );
}

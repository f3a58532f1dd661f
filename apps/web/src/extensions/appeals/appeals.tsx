import type { OpenAppeal } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { APPEAL_OUTCOMES } from '@svc/contracts/vocabulary';
import { visible } from '@svc/text';
import { EmptyState, Loaded, Rows, TextArea, textOf } from '@svc/ui';
import { Card, ChangeForm } from '../../account/parts.tsx';
import { useRead } from '../../account/use-store.ts';
import { DecisionForm } from '../../moderation/decision-form.tsx';
import { CASE_KEYS, KeysHelp, useKeys, useRows } from '../../moderation/keys.tsx';
import { iconOf, pathOf } from '../../moderation/version-path.ts';
import { useWho } from '../../moderation/who.ts';
import { OPEN_APPEALS } from './cases.ts';
import { DecisionItem } from './decisions.tsx';

const CONFLICTS = {
  uploader: 'You took this decision: another moderator decides its appeal.',
  member: 'You are a member of the publisher: another moderator decides.',
  administrator: 'Only an administrator decides appeals of yanks and suspensions.',
} as const;

function Answer({ id }: OpenAppeal) {
  const request = (data: FormData) =>
    apiRequest('POST /api/moderation/appeals/:id/messages', {
      params: { id },
      json: { text: textOf(data, 'text') },
    });
  return (
    <details>
      <summary>Write to the publisher</summary>
      <ChangeForm action="Send" request={request}>
        <TextArea label="Message" name="text" required maxLength={2_000} rows={3} />
      </ChangeForm>
    </details>
  );
}

function Decide({ id, conflict }: OpenAppeal) {
  if (conflict) return <p className="callout">{CONFLICTS[conflict]}</p>;
  return (
    <DecisionForm
      messages={{
        decide: 'Decide',
        outcome: 'The decision is',
        outcomes: {
          upheld: 'upheld: it stays',
          reversed: 'reversed: a rejected version returns to the queue; a yank or suspension is undone',
        },
        note: 'Note, for the publisher',
      }}
      outcomes={APPEAL_OUTCOMES}
      action="Send the decision"
      request={(json) => apiRequest('POST /api/moderation/appeals/:id/decide', { params: { id }, json })}
    />
  );
}

/** The icon of the version that a decision is about; of one about an app or a publisher, nothing. */
const AppIcon = ({ of: { appId, version } }: { of: Pick<OpenAppeal, 'appId' | 'version'> }) =>
  appId === null || version === null ? null : (
    <img className="app-icon" src={iconOf({ appId, version })} alt="" width={44} height={44} loading="lazy" />
  );

function AppealList({ appeals }: { appeals: readonly OpenAppeal[] }) {
  const who = useWho();
  const rows = useRows(appeals.map(({ id }) => id));
  useKeys(rows.keys);
  return (
    <Card>
      <Rows of={appeals} list={rows.list}>
        {(appeal, index) => (
          <DecisionItem
            key={appeal.id}
            decision={appeal}
            row={rows.rowProps(index)}
            picture={<AppIcon of={appeal} />}
          >
            <p className="soft">
              Decided by {who(appeal.decidedBy)}, against <bdi>{visible(appeal.publisherName)}</bdi>.{' '}
              {appeal.appId !== null && appeal.version !== null ? (
                <a href={pathOf({ appId: appeal.appId, version: appeal.version })}>Open the version</a>
              ) : null}
            </p>
            <Answer {...appeal} />
            <Decide {...appeal} />
          </DecisionItem>
        )}
      </Rows>
    </Card>
  );
}

/** The open appeals of publishers, the longest waiting first. */
export function Appeals() {
  const query = useRead(OPEN_APPEALS);
  return (
    <>
      <div className="cluster head">
        <h1>Appeals</h1>
        <span className="buttons">
          <KeysHelp keys={CASE_KEYS} />
        </span>
      </div>
      <Loaded query={query}>
        {({ appeals }) =>
          appeals.length === 0 ? (
            <EmptyState icon="inbox" title="No appeals waiting">
              <p>Publishers can appeal rejections, yanks and suspensions.</p>
            </EmptyState>
          ) : (
            <AppealList appeals={appeals} />
          )
        }
      </Loaded>
    </>
  );
}

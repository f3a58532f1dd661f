import type { AppealOutcome, OpenAppeal } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { APPEAL_OUTCOMES } from '@svc/contracts/vocabulary';
import { EmptyState, ErrorMessage, Loaded } from '@svc/ui';
import { DecisionItem } from '../account/decisions.tsx';
import { Card, Fields, textOf } from '../account/parts.tsx';
import { useChange, useRead } from '../account/use-store.ts';
import { DecisionForm } from './decision-form.tsx';
import { pathOf } from './version-path.ts';
import { visible } from './visible.ts';
import { useWho } from './who.ts';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.appeals;

function Answer({ id }: OpenAppeal) {
  const write = useChange((text: string) =>
    apiRequest('POST /api/moderation/appeals/:id/messages', { params: { id }, json: { text } }),
  );
  return (
    <details>
      <summary>{MESSAGES.write}</summary>
      <Fields
        action={MESSAGES.send}
        busy={write.isPending}
        submit={(data) => write.mutateAsync(textOf(data, 'text'))}
      >
        <label>
          {MESSAGES.message}
          <textarea name="text" required maxLength={2_000} rows={3} />
        </label>
      </Fields>
      <ErrorMessage error={write.error} />
    </details>
  );
}

function Decide({ id, conflict }: OpenAppeal) {
  const decide = useChange((json: { outcome: AppealOutcome; note: string }) =>
    apiRequest('POST /api/moderation/appeals/:id/decide', { params: { id }, json }),
  );
  if (conflict) return <p className="note">{MESSAGES.conflicts[conflict]}</p>;
  return (
    <DecisionForm
      messages={MESSAGES}
      outcomes={APPEAL_OUTCOMES}
      action={MESSAGES.sendDecision}
      decision={decide}
    />
  );
}

/** The open appeals of publishers, the longest waiting first. */
export function Appeals() {
  const query = useRead(apiRequest('GET /api/moderation/appeals'));
  const who = useWho();
  return (
    <>
      <h1>{MESSAGES.title}</h1>
      <Loaded query={query}>
        {({ appeals }) =>
          appeals.length === 0 ? (
            <EmptyState icon="inbox" title={MESSAGES.none}>
              <p>{MESSAGES.noneHint}</p>
            </EmptyState>
          ) : (
            <Card>
              <ol className="rows">
                {appeals.map((appeal) => (
                  <DecisionItem key={appeal.id} decision={appeal}>
                    <p className="soft">
                      {MESSAGES.by(who(appeal.decidedBy), visible(appeal.publisher))}{' '}
                      {appeal.appId !== null && appeal.version !== null ? (
                        <a href={pathOf({ appId: appeal.appId, version: appeal.version })}>
                          {MESSAGES.version}
                        </a>
                      ) : null}
                    </p>
                    <Answer {...appeal} />
                    <Decide {...appeal} />
                  </DecisionItem>
                ))}
              </ol>
            </Card>
          )
        }
      </Loaded>
    </>
  );
}

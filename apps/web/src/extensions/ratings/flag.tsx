import type { FlagReason } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';
import { Button, Options, TextArea, textOf } from '@svc/ui';
import { useState } from 'react';
import { ChangeForm, OpenForm } from '../../account/parts.tsx';

/** The reasons for a report, as the user who reports reads them. */
const FLAG_WORDS: Readonly<Record<FlagReason, string>> = {
  spam: 'Spam, or not a review',
  abuse: 'Insults or threatens a person',
  'off-topic': 'Not about the app',
  privacy: 'Reveals private information about a person',
  other: 'Something else',
};

function FlagFields() {
  return (
    <>
      <label>
        Reason
        {/* biome-ignore lint/a11y/noAutofocus: the form replaces the button that was pressed */}
        <select name="reason" autoFocus>
          <Options of={Object.entries(FLAG_WORDS)} />
        </select>
      </label>
      <TextArea
        label="Details"
        hint="Optional. Only moderators read it."
        name="note"
        rows={2}
        maxLength={LIMITS.ratings.flagNote}
      />
    </>
  );
}

type FlagProps = { appId: string /** Of the review. */; id: string };

/** The form of a report, and what became of it. */
export function FlagForm({ appId, id, done }: FlagProps & { done?(): void }) {
  const request = (data: FormData) => {
    const note = textOf(data, 'note');
    const json = { reason: textOf(data, 'reason') as FlagReason, ...(note && { note }) };
    return apiRequest('POST /api/apps/:appId/reviews/:id/flag', { params: { appId, id }, json });
  };
  return (
    <ChangeForm action="Send report" request={request} {...(done && { done })}>
      <FlagFields />
    </ChangeForm>
  );
}

/** What a report does. */
export const Reported = ({ isSent }: { isSent: boolean }) => (
  <p role="status" className="good" hidden={!isSent}>
    {isSent ? 'Reported. The review stays public until a moderator decides.' : ''}
  </p>
);

/** Reports a review to the moderators. */
export function Flag(review: FlagProps) {
  const [isSent, setSent] = useState(false);
  return (
    <>
      <Reported isSent={isSent} />
      {isSent ? null : (
        <OpenForm label="Report">
          {(close) => (
            <section aria-label="Send report">
              <FlagForm {...review} done={() => setSent(true)} />
              <Button label="Cancel" onClick={close} />
            </section>
          )}
        </OpenForm>
      )}
    </>
  );
}

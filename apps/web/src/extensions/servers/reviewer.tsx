import type { OwnAppLife } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { Field, moment, textOf } from '@svc/ui';
import { Card, ChangeButton, ChangeForm, OpenForm } from '../../account/parts.tsx';
import type { OwnRef } from '../../dashboard/diff-view.tsx';

/** The account with which the store lists the tools of a server that needs a sign-in. */
export function Reviewer({ own, life: { reviewerAccount: account } }: { own: OwnRef; life: OwnAppLife }) {
  const deposit = (data: FormData) =>
    apiRequest('PUT /api/publishers/:slug/apps/:appId/reviewer-account', {
      params: own,
      json: { token: textOf(data, 'token') },
    });
  return (
    <Card title="Reviewer account">
      <p className="soft">
        For a server that lists its tools only to signed-in users: a token of a test user, so that the store
        can list them each day. It is stored encrypted, sent to the server of the app alone, and never shown
        again. Make one that can read and nothing else.
      </p>
      {account ? (
        <div>
          {`A token for ${account.host} was deposited ${moment(account.at)}.`}{' '}
          <ChangeButton
            label="Delete the token"
            sure="Delete the token? The store then no longer lists the server."
            request={() =>
              apiRequest('DELETE /api/publishers/:slug/apps/:appId/reviewer-account', { params: own })
            }
          />
        </div>
      ) : null}
      <OpenForm label={account ? 'Replace the token' : 'Deposit a token'}>
        {(close) => (
          <ChangeForm action="Deposit" request={deposit} done={close}>
            <Field label="Token" name="token" type="password" required maxLength={4096} autoComplete="off" />
          </ChangeForm>
        )}
      </OpenForm>
    </Card>
  );
}

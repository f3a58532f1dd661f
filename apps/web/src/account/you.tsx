import type { MailChoices } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { isMailTopic, MAIL_CHOICES, MAIL_TOPICS, type MailChoice } from '@svc/contracts/vocabulary';
import {
  Button,
  ButtonLink,
  Check,
  ConfirmButton,
  Done,
  ErrorMessage,
  Facts,
  Field,
  Loaded,
  moment,
  Rows,
  Select,
  textOf,
} from '@svc/ui';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type Act, ActButton } from './acts.tsx';
import { agentWords } from './agent-words.ts';
import { send } from './api.ts';
import { Card, ChangeButton, ChangeForm, ROLES } from './parts.tsx';
import { Passkeys } from './passkeys.tsx';
import { useChange, useRead, useSignedIn } from './use-store.ts';

function Profile() {
  const me = useSignedIn();
  const isUnconfirmed = me.sendsMail && me.email !== null && !me.emailVerified;
  return (
    <Card title="You">
      <Facts
        facts={[
          [
            'Email',
            <>
              {me.email ?? 'none'} {isUnconfirmed ? <span className="badge">not confirmed</span> : null}
            </>,
          ],
          [
            'Role',
            <>
              {ROLES[me.role]} {me.roleNeedsPasskey ? <span className="badge">needs a passkey</span> : null}
            </>,
          ],
        ]}
      />
      {isUnconfirmed ? <Confirm email={me.email ?? ''} /> : null}
      <ChangeForm
        action="Save"
        tone="plain"
        status={() => 'Saved.'}
        request={(data) => apiRequest('PATCH /api/people/me', { json: { name: textOf(data, 'name') } })}
      >
        <Field
          key={me.name}
          label="Name"
          name="name"
          defaultValue={me.name}
          required
          maxLength={80}
          autoComplete="name"
        />
      </ChangeForm>
      {me.email !== null && me.sendsMail ? <Address /> : null}
    </Card>
  );
}

/** Sends a mail with a link that changes the email address. */
function Address() {
  const change = useChange((email: string) => apiRequest('PUT /api/people/me/email', { json: { email } }));
  const act: Act<{ sentTo: string }> = {
    label: 'Change email address',
    title: 'Change your email address',
    yes: 'Send link to new address',
    tone: 'main',
    effect:
      'The link in the mail changes the address. It also ends your other sessions, passkeys, connected accounts, tokens and invitations.',
    notice: 'The new address, by a mail with the link. The old one, once the address has changed.',
    fields: (
      <Field
        label="New email address"
        name="email"
        type="email"
        required
        maxLength={254}
        autoComplete="email"
      />
    ),
    send: (data) => change.mutateAsync(textOf(data, 'email')),
    shows: ({ sentTo }) => <Done>{`Link sent to ${sentTo}. Open it in this browser within an hour.`}</Done>,
  };
  return (
    <div className="buttons">
      <ActButton act={act} />
    </div>
  );
}

/** Sends a mail with a link that confirms the email address. */
function Confirm({ email }: { email: string }) {
  const confirmation = useChange(() => apiRequest('POST /api/people/me/email/confirmation'));
  return (
    <>
      <p className="callout" role="status">
        Your address is not confirmed: follow the link in the mail to {email}. Until then you cannot create
        tokens, passkeys, publishers and reviews, and get no mail about your publishers.
      </p>
      <div className="buttons">
        <Button
          label="Send confirmation link"
          className="main"
          runs={confirmation}
          onClick={() => confirmation.mutate()}
        />
      </div>
      <Done>{confirmation.data ? `Link sent to ${confirmation.data.sentTo}.` : ''}</Done>
      <ErrorMessage error={confirmation.error} />
    </>
  );
}

/** Asks for a new password in a dialog, and for the current one. */
function NewPassword() {
  const { hasPassword, sendsMail } = useSignedIn();
  const change = useChange((data: FormData) =>
    apiRequest('PUT /api/people/me/password', {
      json: {
        ...(hasPassword && { current: String(data.get('current')) }),
        password: String(data.get('password')),
      },
    }),
  );
  const label = hasPassword ? 'Change password' : 'Set password';
  const act: Act = {
    label,
    title: hasPassword ? 'Change your password' : 'Set a password',
    yes: label,
    tone: 'main',
    effect: 'Signs you out of every other browser.',
    notice: sendsMail ? 'You get a mail.' : 'No mail is sent: this store has no mail server.',
    fields: (
      <>
        {hasPassword ? (
          <Field
            label="Current password"
            name="current"
            type="password"
            required
            autoComplete="current-password"
          />
        ) : null}
        <Field
          label="New password"
          hint="12 characters or more."
          name="password"
          type="password"
          required
          minLength={12}
          autoComplete="new-password"
        />
      </>
    ),
    send: (data) => change.mutateAsync(data),
    shows: () => <Done>Password saved.</Done>,
  };
  return <ActButton act={act} />;
}

function PasswordCard() {
  const { hasPassword } = useSignedIn();
  return (
    <Card
      title="Password"
      lead={
        hasPassword
          ? 'A new password signs you out of every other browser.'
          : 'You have no password, and do not need one.'
      }
    >
      <div className="buttons">
        <NewPassword />
        {hasPassword ? (
          <ChangeButton
            label="Remove password"
            sure="Remove your password?"
            request={() => apiRequest('DELETE /api/people/me/password')}
          />
        ) : null}
      </div>
    </Card>
  );
}

function Identities() {
  const { identities, providers } = useSignedIn();
  if (providers.length === 0 && identities.length === 0) return null;
  return (
    <Card title="Connected accounts">
      <Rows of={identities}>
        {(identity) => (
          <li key={identity.id}>
            <div>
              {identity.provider}: {identity.account}
            </div>
            <ChangeButton
              label="Remove"
              sure="Remove this account? You can no longer sign in with it."
              request={() =>
                apiRequest('DELETE /api/people/me/identities/:id', { params: { id: identity.id } })
              }
            />
          </li>
        )}
      </Rows>
      <div className="buttons">
        {providers.map(({ id, label }) => (
          <ChangeButton
            key={id}
            label={`Add ${label}`}
            request={() => apiRequest('POST /api/people/me/identities/:id', { params: { id } })}
            done={({ url }) => window.location.assign(url)}
          />
        ))}
      </div>
    </Card>
  );
}

function Sessions() {
  const { sessions } = useSignedIn();
  const [withTokens, setWithTokens] = useState(false);
  return (
    <Card title="Sessions">
      <Rows of={sessions}>
        {(session) => (
          <li key={session.id}>
            <div>
              <span title={session.agent}>{agentWords(session.agent)}</span>{' '}
              {session.current ? <span className="badge">this browser</span> : null}
              <p className="soft">
                from {session.address ?? 'an unknown address'}, last seen {moment(session.lastSeenAt)}
              </p>
            </div>
            {session.current ? null : (
              <ChangeButton
                label="Sign out"
                request={() =>
                  apiRequest('DELETE /api/people/me/sessions/:id', { params: { id: session.id } })
                }
              />
            )}
          </li>
        )}
      </Rows>
      <Check
        label="Also revoke my developer tokens, and those that I created for publishers"
        checked={withTokens}
        choose={setWithTokens}
      />
      <p className="soft">
        Signing out ends sessions in browsers. A developer token, for example of svc login, works until it is
        revoked.
      </p>
      <ChangeButton
        label="Sign out everywhere"
        sure={
          withTokens
            ? 'Sign out everywhere, also here, and revoke your tokens?'
            : 'Sign out everywhere, also here? Your tokens stay valid.'
        }
        request={() =>
          apiRequest('DELETE /api/people/me/sessions', { query: { tokens: withTokens ? '' : undefined } })
        }
      />
    </Card>
  );
}

const CHOICE_WORDS: Readonly<Record<MailChoice, string>> = {
  'at-once': 'Each at once',
  daily: 'Once a day, together',
  off: 'Not at all',
};

function Mails() {
  const { role } = useSignedIn();
  const query = useRead(apiRequest('GET /api/people/me/mails'));
  const choose = useChange((json: MailChoices) => apiRequest('PUT /api/people/me/mails', { json }));
  const topics = Object.keys(MAIL_TOPICS)
    .filter(isMailTopic)
    .filter((topic) => topic !== 'moderation' || role !== 'person');
  return (
    <Card title="Mails" lead="Mails about access to your account are always sent.">
      <Loaded query={query}>
        {(chosen) => (
          <div className="fields">
            {topics.map((topic) => (
              <Select
                key={topic}
                label={MAIL_TOPICS[topic]}
                of={MAIL_CHOICES.map((choice) => [choice, CHOICE_WORDS[choice]])}
                value={chosen[topic]}
                disabled={choose.isPending}
                choose={(value) => choose.mutate({ ...chosen, [topic]: value as MailChoice })}
              />
            ))}
          </div>
        )}
      </Loaded>
      <ErrorMessage error={choose.error} />
    </Card>
  );
}

/** Downloads what the store has about the user, and deletes the account. */
function YourData() {
  const { csrf } = useSignedIn();
  // Not a change of the page: to read anything again would lead to the sign-in page.
  const remove = useMutation({
    mutationFn: () => send(csrf, apiRequest('DELETE /api/people/me')),
    onSuccess: () => window.location.assign('/'),
  });
  return (
    <Card title="Your data">
      <p>
        <a href={apiRequest('GET /api/people/me/export').path} download>
          Download your data
        </a>{' '}
        <span className="soft">
          (JSON: your account, reviews, reports, uploads, tokens and recorded acts)
        </span>
      </p>
      <p className="soft">
        Deleting your account removes your name, address, sign-in methods, sessions, tokens and reviews.
        Versions that you uploaded and decisions that you made stay, under a random id. Publishers that you
        own need another owner first.
      </p>
      <ConfirmButton
        label="Delete account"
        sure="Delete your account? This cannot be undone."
        act={() => remove.mutate()}
      />
      <ErrorMessage error={remove.error} />
    </Card>
  );
}

/** Leads a user without a publisher to their first app. */
function FirstPublish() {
  const publishers = useRead(apiRequest('GET /api/publishers'));
  if (publishers.data?.publishers.length !== 0) return null;
  return (
    <Card title="Publish an app">
      <p>
        Create a publisher, or ask an owner of one to invite you. Then follow the steps to your first app.
      </p>
      <p>
        <ButtonLink label="Start" className="main" href="/account/publishers" />
      </p>
    </Card>
  );
}

/** The profile of the user, their ways to sign in, and their sessions. */
export function You() {
  const { sendsMail } = useSignedIn();
  return (
    <>
      <h1>Your account</h1>
      <div className="settings">
        <Passkeys />
        <Profile />
        <PasswordCard />
        <Identities />
        <Sessions />
        {sendsMail ? <Mails /> : null}
        <YourData />
      </div>
      <FirstPublish />
    </>
  );
}

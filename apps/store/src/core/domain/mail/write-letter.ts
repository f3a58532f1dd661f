import type { AccessRules } from '@svc/contracts';
import { isActive } from '../../../platform/terms.ts';
import { personId } from '../identity/caller.ts';
import { unique } from '../identity/names-on-record.ts';
import { actWords, concernedBy } from './act-words.ts';
import { appealWords, oneLine, quoted, type Text, timeText, type Write, type WriteDeps } from './letter.ts';
import type { CoreMails, MailContent } from './mail-store.ts';
import { ACCOUNT_CHANGES } from './post-mail.ts';

const ROLE_NAMES = { moderator: 'a moderator', administrator: 'an administrator' } as const;

/** What a role needs, by the rule of the store. */
const PASSKEY_WORDS: Readonly<Record<AccessRules['roles'], string>> = {
  grace:
    'The role needs a passkey: add one within 14 days, and sign in with it. After that it has no effect without one.',
  passkey: 'The role needs a passkey: until you add one and sign in with it, it has no effect.',
  any: 'Add a passkey, so that a stolen password alone cannot use your role.',
};

const ROLE_WORDS = { owner: 'an owner', member: 'a member' } as const;

type Writers = { [Kind in keyof CoreMails]: Write<Kind> };

const WRITERS: Writers = {
  async invitation(deps, { invitation: id }) {
    const invitation = await deps.invitations.find(id);
    if (!invitation || !isActive('invitations.expires_at', invitation.expiresAt, deps.clock().toISOString()))
      return null;
    const [publisher, inviter] = await Promise.all([
      deps.publishers.find(invitation.publisher),
      deps.people.find(invitation.invitedBy),
    ]);
    if (!publisher || !inviter) return null;
    return {
      subject: `Invitation to act for the publisher ${publisher.slug}`,
      text: `${oneLine(inviter.name)} invites you to act for the publisher ${publisher.slug} ("${oneLine(publisher.name)}") as ${ROLE_WORDS[invitation.role]}.

To see the invitation and accept it, open:
${deps.invitationUrl(id)}

The link works once, until ${invitation.expiresAt.slice(0, 10)}. If you did not expect this invitation, ignore this mail.`,
    };
  },
  'version-uploaded': async ({ baseUrl, app }, { publisher, appId, version }) => ({
    subject: `${app} ${version} was uploaded`,
    text: `A token of the publisher ${publisher} or of one of its members uploaded ${app} ${version}. Its state, and who uploaded it:
${baseUrl}/account/publishers/${publisher}/apps/${encodeURIComponent(appId)}

If none of you uploaded it, retract or yank it there, and revoke the token.`,
  }),
  'version-approved': async ({ baseUrl, app, routeNames }, { appId, version }) => ({
    subject: `${app} ${version} was approved`,
    text: `The review of ${app} ${version} is complete: the version was approved and is published.${routeNames.has('appPage') ? `\n${baseUrl}/apps/${encodeURIComponent(appId)}` : ''}`,
  }),
  'version-rejected': async (deps, { publisher, version, note, rule, policy }) => ({
    subject: `${deps.app} ${version} was rejected`,
    text: `The review of ${deps.app} ${version} is complete: the version was rejected, for this reason:

${quoted(note)}

Fix the problem, increase the version, and publish again.${rule === undefined ? '' : `\n\nIt cites this rule:\n${deps.baseUrl}/policy?version=${policy}#${rule}`}${appealWords(deps, publisher)}`,
  }),
  'review-message': async ({ baseUrl, app }, { publisher, appId, version, text, requestsChanges }) => ({
    subject: requestsChanges
      ? `Changes requested for ${app} ${version}`
      : `A moderator wrote about ${app} ${version}`,
    text: `${requestsChanges ? `A moderator requests changes before ${app} ${version} can be approved` : `A moderator wrote about ${app} ${version}, which is in review`}:

${quoted(text)}

Reply on the page of the app. To change the bundle, increase the version and publish again.
${baseUrl}/account/publishers/${publisher}/apps/${encodeURIComponent(appId)}`,
  }),
  'version-waiting': async ({ baseUrl, app }, { publisher, appId, version }) => ({
    subject: `${app} ${version} waits for your confirmation`,
    text: `${app} ${version} was uploaded, and is not published before a member of the publisher ${publisher} confirms it. To see what changes and what its hash is, and to confirm it, open:
${baseUrl}/account/publishers/${publisher}/apps/${encodeURIComponent(appId)}

If none of you uploaded it, do not confirm it: retract it there, and revoke the token that uploaded it.`,
  }),
  'review-assigned': async ({ baseUrl, app }, { appId, version }) => ({
    subject: `${app} ${version} is assigned to you`,
    text: `Another moderator assigned the review of ${app} ${version} to you. To review it, open:
${baseUrl}/moderation/apps/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}`,
  }),
  'review-answer': async ({ baseUrl, app }, { appId, version, text }) => ({
    subject: `The publisher answered about ${app} ${version}`,
    text: `The publisher wrote about ${app} ${version}, which is in review:

${quoted(text)}

To reply or to decide, open:
${baseUrl}/moderation/apps/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}`,
  }),
  'verification-lost': async ({ baseUrl }, { publisher, website }) => ({
    subject: `The publisher ${publisher} is no longer verified`,
    text: `For two weeks the proof of the publisher ${publisher} has been missing from ${website}. The publisher is therefore no longer verified: a moderator reviews each new version of its apps.

Publish the proof again, and start a new check:
${baseUrl}/account/publishers/${publisher}/website`,
  }),
  'name-approved': async ({ baseUrl, routeNames }, { publisher, name }) => ({
    subject: `The new name of the publisher ${publisher} was approved`,
    text: `The publisher ${publisher} is now called "${oneLine(name)}".${routeNames.has('publisherPage') ? `\n${baseUrl}/publishers/${publisher}` : ''}`,
  }),
  'name-refused': async (_deps, { publisher, name, note }) => ({
    subject: `The new name of the publisher ${publisher} was refused`,
    text: `The publisher ${publisher} keeps its name. The new name "${oneLine(name)}" was refused, for this reason:

${quoted(note)}`,
  }),
  'app-suspended': async (deps, { publisher, reason }) => ({
    subject: `The app ${deps.app} was suspended`,
    text: `The app ${deps.app} was suspended: it is not listed, and no version of it can be published. The reason:

${quoted(reason)}${appealWords(deps, publisher)}`,
  }),
  'reviews-waiting': async ({ baseUrl }, { waiting, overdue }) => ({
    subject: `${waiting} ${waiting === 1 ? 'version waits' : 'versions wait'} for a decision`,
    text: `${waiting} ${waiting === 1 ? 'version waits' : 'versions wait'} for a decision of a moderator, ${overdue} of them longer than the store promises:
${baseUrl}/moderation`,
  }),
  async 'new-sign-in'({ people, storeName, baseUrl }, { personId, at, address, agent }) {
    const person = await people.find(personId);
    return (
      person && {
        subject: `A new sign-in to your account at ${storeName}`,
        text: `The account "${oneLine(person.name)}" was signed in to on ${timeText(at)}, in a browser and a network that it was not used in lately.

Address: ${address ?? 'unknown'}
Browser: ${oneLine(agent).slice(0, 200)}

If it was you, ignore this mail. If not, end the session and change your password:
${baseUrl}/account`,
      }
    );
  },
  async 'publisher-changed'({ people, baseUrl }, { by, at, address, ...act }) {
    const ids = unique([concernedBy(act), personId(by)]);
    const names = new Map((await people.findAll(ids)).map(({ id, name }) => [id, name]));
    const words = oneLine(actWords(act, (id) => names.get(id)));
    const who = personId(by) === null ? by : `"${names.get(personId(by) ?? '') ?? 'a deleted account'}"`;
    return {
      subject: `Publisher ${act.publisher}: ${words}`.slice(0, 200),
      text: `${oneLine(who)} ${words}.

Publisher: ${act.publisher}
Time: ${timeText(at)}
Address: ${address ?? 'unknown'}

If the owners of ${act.publisher} did not agree on that, undo it there, and ask who did it to recover their account:
${baseUrl}/account/publishers/${act.publisher}`,
    };
  },
  async 'account-changed'({ people, storeName, baseUrl }, { personId, action, what, at, address }) {
    const person = await people.find(personId);
    const words = ACCOUNT_CHANGES[action];
    if (!person || words === null) return null;
    return {
      subject: `${words} your account at ${storeName}`,
      text: `${words} the account "${oneLine(person.name)}" on ${timeText(at)}.
${what === '' ? '' : `\nName: ${oneLine(what).slice(0, 200)}`}
Address: ${address ?? 'unknown'}

If it was you, ignore this mail. If not, undo it on the page of your account, sign out everywhere else and set a new password:
${baseUrl}/account

If you cannot sign in any more:
${baseUrl}/forgotten`,
    };
  },
  'version-yanked': async (deps, { publisher, appId, version, reason }) => ({
    subject: `${deps.app} ${version} was yanked`,
    text: `A moderator yanked ${deps.app} ${version}: it is not listed any more, and clients switch it off. The reason, which users read:

${quoted(reason)}

${deps.baseUrl}/account/publishers/${publisher}/apps/${encodeURIComponent(appId)}${appealWords(deps, publisher)}`,
  }),
  'app-offered': async ({ baseUrl, app }, { publisher, from }) => ({
    subject: `The publisher ${from} offers ${publisher} the app ${app}`,
    text: `The publisher ${from} offers the app ${app} to ${publisher}. Accept or refuse it here:
${baseUrl}/account/publishers/${publisher}`,
  }),
  'app-moved': async ({ baseUrl, app }, { publisher, from, to }) => ({
    subject: `The app ${app} moved from ${from} to ${to}`,
    text: `The app ${app} now belongs to the publisher ${to}, and not to ${from} any more. What ${from} could publish it with, such as tokens for this app, has ended. At the next update, users are asked whether they agree to the new publisher.

If you did not expect this, write to the operator of this store.
${baseUrl}/account/publishers/${publisher}`,
  }),
  'account-suspended': async ({ storeName }, { reason }) => ({
    subject: `Your account at ${storeName} was suspended`,
    text: `Your account was suspended: you are signed out, and your tokens have no effect. The reason:

${quoted(reason)}

To contest this, contact the operator of the store.`,
  }),
  async 'role-changed'({ baseUrl, people, storeName }, { personId: id, role, suspended, by }) {
    const nameOf = async (of: string) => oneLine((await people.find(of))?.name ?? of);
    const account = await nameOf(id);
    return {
      subject: `The role of "${account}" at ${storeName} was changed`,
      text: `${await nameOf(personId(by) ?? by)} changed the role of the account "${account}": it is now ${suspended ? 'suspended, with the role ' : ''}${role}.

If the administrators did not agree on that, undo it, and suspend the account that did it:
${baseUrl}/admin/people/${encodeURIComponent(id)}`,
    };
  },
  'own-role-changed': async ({ baseUrl, storeName }, { role, passkey }) => ({
    subject:
      role === 'person'
        ? `Your role at ${storeName} has ended`
        : `You are ${ROLE_NAMES[role]} of ${storeName} now`,
    text:
      role === 'person'
        ? `Your account has no role at ${storeName} any more. Everything else of it stays as it is.`
        : `Your account is now that of ${ROLE_NAMES[role]} of ${storeName}.

${PASSKEY_WORDS[passkey]}
${baseUrl}/account

If you do not want this role, reply to the administrator who gave it to you.`,
  }),
  'publisher-suspended': async (deps, { publisher, reason }) => ({
    subject: `The publisher ${publisher} was suspended`,
    text: `The publisher ${publisher} was suspended: its apps are not listed, and it cannot publish, and its tokens have no effect. Its members can still see all of its data.${reason === undefined ? '' : ` The reason:\n\n${quoted(reason)}`}${appealWords(deps, publisher)}`,
  }),
  'decision-undone': async ({ baseUrl, app }, { act, publisher, appId, version, reason }) => {
    const what =
      version !== null
        ? `${app} ${version}`
        : appId !== null
          ? `the app ${app}`
          : `the publisher ${publisher}`;
    const [subject, effect] =
      act === 'version-yanked'
        ? [
            `The yank of ${what} was undone`,
            'It is listed again, and clients switch it on where it was on before.',
          ]
        : [`The suspension of ${what} has ended`, 'What it stopped works again.'];
    return {
      subject,
      text: `${subject}. ${effect} The reason:

${quoted(reason)}

${baseUrl}/account/publishers/${publisher}`,
    };
  },
  'account-unsuspended': async ({ storeName, baseUrl }, { reason }) => ({
    subject: `The suspension of your account at ${storeName} has ended`,
    text: `You can sign in again. Tokens that were revoked do not come back.${reason === '' ? '' : ` The reason:\n\n${quoted(reason)}`}

${baseUrl}/sign-in`,
  }),
  async 'password-reset'({ resetLink, storeName }, { personId }) {
    const link = await resetLink(personId);
    if (link === null) return null;
    return {
      subject: `A new password for ${storeName}`,
      text: `A new password was requested, most likely by you. To choose one, open:
${link}

The link works once, for an hour. Setting a password with it signs you out everywhere, and ends all passkeys, connected accounts, tokens and invitations of the account.

If it was not you, ignore this mail: your password does not change.`,
    };
  },
  async 'new-address'({ addressLink, people, storeName }, { personId, email }) {
    const [link, person] = [await addressLink(personId, email), await people.find(personId)];
    if (link === null || !person) return null;
    return {
      subject: `Your new email address for ${storeName}`,
      text: `The account "${oneLine(person.name)}" at ${storeName}, created on ${person.createdAt.slice(0, 10)}, is to get this address. If that is your account, open this link in a browser in which you are signed in to it:
${link}

The link works once, for an hour. Changing the address signs you out everywhere else, and ends all passkeys, connected accounts, tokens and invitations of the account.

If it is not your account, ignore this mail: nothing changes, and the link works for no other account.`,
    };
  },
  async 'address-changed'({ people, storeName }, { personId }) {
    const person = await people.find(personId);
    return (
      person && {
        subject: `Your account at ${storeName} has another email address`,
        text: `The account "${oneLine(person.name)}" at ${storeName} has a new email address. This one can no longer recover it. All sessions, passkeys, connected accounts, tokens and invitations from before were ended.

If it was not you, contact the operator of the store now.`,
      }
    );
  },
  async 'confirm-email'({ confirmLink, people, storeName }, { personId }) {
    const [link, person] = [await confirmLink(personId), await people.find(personId)];
    if (link === null || !person) return null;
    return {
      subject: `Confirm your email address for ${storeName}`,
      text: `The account "${oneLine(person.name)}" at ${storeName} was created with this address on ${person.createdAt.slice(0, 10)}. If it is yours, open this link and sign in to it:
${link}

If it is not yours, ignore this mail: the account stays unconfirmed, and the link works for no other account. You can take it over with a link to reset its password.`,
    };
  },
};

/** Appends a signature with the sender, after the separator of RFC 3676 section 4.3. */
const signed = (text: string, { storeName, baseUrl }: WriteDeps): string =>
  `${text}\n\n-- \n${storeName}\n${baseUrl}\n`;

/**
 * Writes the subject and the text of a mail when it is sent, so that the secrets of links are not stored.
 * @returns null when the mail is obsolete
 */
export async function writeLetter(deps: WriteDeps, { kind, detail }: MailContent): Promise<Text | null> {
  const writers: { [Kind in MailContent['kind']]?: unknown } = WRITERS;
  const write = (writers[kind] ?? deps.letters[kind]?.write) as
    | ((deps: WriteDeps & { app: string }, of: MailContent['detail']) => Promise<Text | null>)
    | undefined;
  // The kind of an extension that was taken away.
  if (!write) return null;
  const appId = ('appId' in detail && detail.appId) || '';
  const name = appId === '' ? undefined : (await deps.apps.namesOf([appId])).get(appId);
  const app = name === undefined ? appId : `${oneLine(name)} (${appId})`;
  const written = await write({ ...deps, app }, detail);
  return written && { subject: oneLine(written.subject), text: signed(written.text, deps) };
}

import type { Advice, EmergencyPreview } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { Button, Check, count, Field, Form, Loaded, Rows, TextArea, textOf, useDebounced } from '@svc/ui';
import { keepPreviousData } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Card, ChangeForm, Initials, Named } from '../../account/parts.tsx';
import { useActor, useRead } from '../../account/use-store.ts';
import { Icon } from '../../dashboard/parts.tsx';
import { iconOf } from '../../moderation/version-path.ts';
import { Past } from './past.tsx';
import { Reach, Subject } from './subject.tsx';

const EMERGENCIES_ACTS = {
  yank: 'Yank every published version',
  suspend: 'Suspend it',
  revokeTokens: 'Revoke its tokens, and those of its members',
  endSessions: 'Sign its members out',
} as const;

const EMERGENCIES_ADVICE = {
  'disconnect-accounts': 'disconnect their accounts',
  'rotate-keys': 'replace keys and passwords',
  uninstall: 'uninstall it',
} as const;

type Target = { publisher: string } | { appId: string };
type Acts = Record<keyof typeof EMERGENCIES_ACTS, boolean>;

const ACTS = Object.keys(EMERGENCIES_ACTS) as (keyof Acts)[];
const ADVICE = Object.entries(EMERGENCIES_ADVICE) as [Advice, string][];

/** The members of the publisher, each with a box: who stays can go on under another name. */
function Members({ people }: Pick<EmergencyPreview, 'people'>) {
  const me = useActor();
  const others = people.filter(({ id, suspended }) => !suspended && `person:${id}` !== me);
  if (others.length === 0) return null;
  return (
    <fieldset>
      <legend>Suspend the accounts of members</legend>
      <p className="soft">A member whose account stays can publish under another publisher.</p>
      {others.map(({ id, name, role }) => (
        <Check key={id} label={`${visible(name)}, ${role}`} name="member" value={id} />
      ))}
    </fieldset>
  );
}

/** What the chosen acts do, in a sentence. */
function effectOf(
  acts: Acts,
  name: string,
  { versions, tokens, sessions }: EmergencyPreview['reach'],
): string {
  const parts = [
    acts.yank && `yanks ${count(versions, 'version')}`,
    acts.suspend && `suspends ${name}`,
    acts.revokeTokens && `revokes ${count(tokens, 'token')}`,
    acts.endSessions && `ends ${count(sessions, 'session')}`,
  ].filter((part) => part !== false);
  const [last] = parts.slice(-1);
  if (last === undefined) return 'Choose what to do.';
  return `This ${parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ` : ''}${last}.`;
}

function Start({ target, done }: { target: Target; done(): void }) {
  const preview = useRead(apiRequest('GET /api/admin/emergencies/preview', { query: target }));
  const [acts, setActs] = useState<Acts>({
    yank: true,
    suspend: true,
    revokeTokens: true,
    endSessions: true,
  });
  const request = async (data: FormData) => {
    if (!ACTS.some((act) => acts[act])) throw new Error('Choose at least one of what to do.');
    const [reason, advice] = [textOf(data, 'reason'), data.getAll('advice') as Advice[]];
    const suspendMembers = data.getAll('member').map(String);
    const json = { ...target, ...acts, suspendMembers, reason, advice };
    return apiRequest('POST /api/admin/emergencies', { json });
  };
  return (
    <Loaded query={preview}>
      {({ name, app, reach, needsSecond, people }) => (
        <>
          <Subject id={'appId' in target ? target.appId : target.publisher} name={name} app={app} />
          <Reach reach={reach} />
          {needsSecond ? (
            <p className="fault">
              It has so many installs that a second administrator must confirm. Nothing happens until then.
            </p>
          ) : null}
          <ChangeForm
            action={needsSecond ? 'Ask a second administrator' : 'Stop it now'}
            tone="bad"
            request={request}
            done={done}
            more={<span role="status">{effectOf(acts, visible(app?.name ?? name), reach)}</span>}
          >
            <fieldset>
              <legend>What to do</legend>
              {ACTS.map((act) => (
                <Check
                  key={act}
                  label={EMERGENCIES_ACTS[act]}
                  checked={acts[act]}
                  choose={(isOn) => setActs((now) => ({ ...now, [act]: isOn }))}
                />
              ))}
            </fieldset>
            <Members people={people} />
            <TextArea
              label="Reason, shown to users and publisher"
              hint="Required. Clients show it where the app was switched off."
              name="reason"
              rows={2}
              required
              maxLength={1_500}
            />
            <fieldset>
              <legend>Tell users to</legend>
              {ADVICE.map(([advice, words]) => (
                <Check key={advice} label={words} name="advice" value={advice} />
              ))}
            </fieldset>
          </ChangeForm>
        </>
      )}
    </Loaded>
  );
}

/** Ids of apps have two segments at least, slugs of publishers have no dot. */
const targetOf = (id: string): Target => (id.includes('.') ? { appId: id } : { publisher: id });

/** Time without typing after which the search starts, in milliseconds. */
const DEBOUNCE_MS = 200;

/** Most publishers, and most apps, that a search shows. */
const FOUND = 4;

type FoundProps = { id: string; name: string; picture: ReactNode; choose(id: string): void };

const Found = ({ id, name, picture, choose }: FoundProps) => (
  <li>
    <Named picture={picture}>
      <bdi>{name}</bdi>
      <br />
      <code className="soft">{id}</code>
    </Named>
    <Button label="Preview" aria-label={`Preview ${name}`} onClick={() => choose(id)} />
  </li>
);

/** The publishers and apps whose names or ids contain a text. */
function Matching({ text, choose }: { text: string; choose(id: string): void }) {
  const q = useDebounced(text, DEBOUNCE_MS).trim();
  const query = { q, limit: String(FOUND) };
  const options = { enabled: q !== '', placeholderData: keepPreviousData };
  const publishers = useRead(apiRequest('GET /api/admin/publishers', { query }), options);
  const apps = useRead(apiRequest('GET /api/admin/apps', { query }), options);
  if (q === '' || !publishers.data || !apps.data) return null;
  const found = [
    ...publishers.data.publishers.map(({ slug, name }) => ({
      id: slug,
      name: visible(name),
      picture: <Initials name={name} />,
    })),
    ...apps.data.apps.map(({ appId, name, newest }) => ({
      id: appId,
      name: visible(name),
      picture: (
        <Icon path={newest && iconOf({ appId, version: newest.version })} name={visible(name)} side={44} />
      ),
    })),
  ];
  if (found.length === 0) return <p role="status">No publisher and no app matches.</p>;
  return (
    <ul className="rows" aria-label="Matching publishers and apps">
      {found.map((one) => (
        <Found key={one.id} {...one} choose={choose} />
      ))}
    </ul>
  );
}

/** Chooses a publisher or an app, and shows what an emergency on it reaches. */
function NewEmergency() {
  const query = new URLSearchParams(window.location.search);
  const given = query.get('publisher') ?? query.get('appId') ?? '';
  const [text, setText] = useState(given);
  const [target, setTarget] = useState<Target | null>(given === '' ? null : targetOf(given));
  const choose = (id: string) => {
    setText(id);
    setTarget(targetOf(id));
  };
  return (
    <Card title="Stop a publisher or an app">
      <p className="soft">
        One act yanks every published version, suspends, revokes tokens and signs members out. Preview it
        first: nothing changes until you act.
      </p>
      <Form
        action="Preview"
        tone={target ? 'plain' : 'main'}
        submit={(data) => choose(textOf(data, 'target'))}
      >
        <Field
          label="Publisher or app"
          hint="Search by name, or enter the short name of a publisher or an app id."
          type="search"
          name="target"
          required
          maxLength={80}
          value={text}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target: field }: { target: HTMLInputElement }) => {
            setText(field.value);
            setTarget(null);
          }}
        />
      </Form>
      {target ? null : <Matching text={text} choose={choose} />}
      {target ? (
        <Start
          key={JSON.stringify(target)}
          target={target}
          done={() => {
            setText('');
            setTarget(null);
          }}
        />
      ) : null}
    </Card>
  );
}

/** Stops a malicious publisher or app in one act, and undoes it. */
export function Emergencies() {
  const list = useRead(apiRequest('GET /api/admin/emergencies'));
  return (
    <>
      <h1>Emergencies</h1>
      <NewEmergency />
      <Card title="Last emergencies">
        <Loaded query={list}>
          {({ emergencies, ...known }) => (
            <Rows none="None yet." of={emergencies}>
              {(emergency) => <Past key={emergency.id} emergency={emergency} {...known} />}
            </Rows>
          )}
        </Loaded>
      </Card>
    </>
  );
}

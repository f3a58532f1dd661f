import type { CarriedApp, Upstream, UpstreamFound, UpstreamOffer } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { count, Facts, Field, Form, Loaded, moment, Rows, textOf } from '@svc/ui';
import { useState } from 'react';
import { Card, ChangeButton, ChangeForm } from '../../account/parts.tsx';
import { useRead } from '../../account/use-store.ts';
import { StoreLink } from '../store-link.tsx';
import { ChoiceFields, choicesIn, HOW, WHICH } from './choices.tsx';

const FAILURES: Readonly<Record<NonNullable<Upstream['failure']>['code'], string>> = {
  unreachable: 'does not answer',
  'not-verified': 'not signed by its key',
  'rolled-back': 'older than before',
  forked: 'two histories',
  failed: 'failed here',
};

const STATES: Readonly<Record<CarriedApp['state'] | 'own', string>> = {
  carried: 'carried',
  waiting: 'waits for review',
  refused: 'cannot be carried',
  gone: 'no longer there',
  own: 'published here',
};

/** The keys that a store offers, to compare them, and the form that adds it. */
function Offer({ offer: { address, keys }, done }: { offer: UpstreamOffer; done(): void }) {
  const current = keys.at(-1)?.keyId ?? '';
  return (
    <>
      <p>
        Its current key is <code>{visible(current)}</code>. Compare it with the one that the operator of{' '}
        {visible(address)} publishes elsewhere: from now on only this key and its successors are trusted.
      </p>
      <ChangeForm
        action="Add the upstream"
        request={(data) =>
          apiRequest('POST /api/admin/upstreams', {
            json: { address, keyId: textOf(data, 'keyId'), choices: choicesIn(data) },
          })
        }
        done={done}
      >
        <Field
          label="Id of the key that you compared"
          name="keyId"
          required
          maxLength={64}
          spellCheck={false}
        />
        <ChoiceFields />
      </ChangeForm>
    </>
  );
}

function Offered({ address, done }: { address: string; done(): void }) {
  const offer = useRead(apiRequest('GET /api/admin/upstreams/offer', { query: { address } }));
  return <Loaded query={offer}>{(found) => <Offer offer={found} done={done} />}</Loaded>;
}

function NewUpstream() {
  const [address, setAddress] = useState<string | null>(null);
  return (
    <Card title="Add an upstream">
      <p className="soft">
        The apps of another store that you choose are verified, signed by this store too, and published here.
        Yanks of that store are followed within a minute. Behind an air gap,{' '}
        <code>svc-store upstream add FILE</code> adds a store from an export of it.
      </p>
      <Form
        action="Show its key"
        tone={address === null ? 'main' : 'plain'}
        submit={(data) => setAddress(textOf(data, 'address'))}
      >
        <Field label="Address of the store" name="address" type="url" required maxLength={500} />
      </Form>
      {address === null ? null : <Offered key={address} address={address} done={() => setAddress(null)} />}
    </Card>
  );
}

/** One app that a search of an upstream found, with what can be done. */
function Found({ upstream, app }: { upstream: Upstream; app: UpstreamFound['apps'][number] }) {
  const { id, choices } = upstream;
  const { appId, name, tagline, publisher, verified, version, state } = app;
  const carry = () =>
    apiRequest('PATCH /api/admin/upstreams/:upstream', {
      params: { upstream: id },
      json: { choices: { ...choices, apps: [...choices.apps, appId] } },
    });
  return (
    <li>
      <div>
        <bdi>{visible(name)}</bdi> <code>{visible(appId)}</code> {visible(version)}
        <p className="soft">
          <bdi>{visible(publisher)}</bdi>
          {verified ? ', verified there' : ''}. {visible(tagline)}
        </p>
      </div>
      {state === null && !choices.apps.includes(appId) ? (
        <ChangeButton label="Carry" request={carry} />
      ) : (
        <span className="badge">{state === null ? 'chosen' : STATES[state]}</span>
      )}
    </li>
  );
}

function Results({ upstream, q }: { upstream: Upstream; q: string }) {
  const query = useRead(
    apiRequest('GET /api/admin/upstreams/:upstream/search', {
      params: { upstream: upstream.id },
      query: { q },
    }),
  );
  return (
    <Loaded query={query}>
      {({ apps }) => (
        <Rows of={apps} none="It has no such app.">
          {(app) => <Found key={app.appId} upstream={upstream} app={app} />}
        </Rows>
      )}
    </Loaded>
  );
}

/** Searches an upstream. What it says of its apps is not verified yet. */
function Search({ upstream }: { upstream: Upstream }) {
  const [q, setQ] = useState<string | null>(null);
  return (
    <details>
      <summary>Search its apps</summary>
      <Form action="Search" tone="plain" submit={(data) => setQ(textOf(data, 'q'))}>
        <Field label="Words" name="q" type="search" maxLength={200} />
      </Form>
      {q === null ? null : <Results key={q} upstream={upstream} q={q} />}
    </details>
  );
}

function Apps({ upstream: { id } }: { upstream: Upstream }) {
  const query = useRead(apiRequest('GET /api/admin/upstreams/:upstream/apps', { params: { upstream: id } }));
  return (
    <Loaded query={query}>
      {({ apps, next }) => (
        <>
          <Rows of={apps} none="Nothing of it has been looked at yet.">
            {({ appId, version, state, note, checkedAt }) => (
              <li key={appId}>
                <div>
                  <StoreLink href={`/apps/${encodeURIComponent(appId)}`}>
                    <code>{visible(appId)}</code>
                  </StoreLink>{' '}
                  {visible(version)} <span className="badge">{STATES[state]}</span>
                  <p className="soft">
                    {note === '' ? '' : `${visible(note)} `}
                    {`Looked at ${moment(checkedAt)}.`}
                  </p>
                </div>
              </li>
            )}
          </Rows>
          {next === null ? null : <p className="soft">These are the first 100; the API has the others.</p>}
        </>
      )}
    </Loaded>
  );
}

/** How an upstream is read, and when it was last. */
function readOf({ file, reachedAt }: Upstream): string {
  if (!file) return reachedAt === null ? 'not yet' : moment(reachedAt);
  const { last } = file;
  if (!last) return 'by file, nothing imported yet';
  const when =
    last.importedAt === null ? 'last import interrupted' : `last import ${moment(last.importedAt)}`;
  const missing = last.missing > 0 ? `, ${count(last.missing, 'bundle')} missing` : '';
  return `by file, ${when}, of an export of ${moment(last.begunAt)}${missing}`;
}

/** What an administrator can change about an upstream. */
function Change({ upstream: { id, address, choices, file } }: { upstream: Upstream }) {
  const params = { upstream: id };
  return (
    <>
      <details>
        <summary>Change what comes</summary>
        <ChangeForm
          action="Change"
          request={(data) =>
            apiRequest('PATCH /api/admin/upstreams/:upstream', { params, json: { choices: choicesIn(data) } })
          }
          status={() => 'Changed.'}
        >
          <ChoiceFields now={choices} />
        </ChangeForm>
      </details>
      {file ? null : (
        <details>
          <summary>Pin its key again</summary>
          <p className="soft">
            Only after its operator confirmed that the old key was lost, or explained two histories.
          </p>
          <ChangeForm
            action="Pin this key"
            request={(data) =>
              apiRequest('PATCH /api/admin/upstreams/:upstream', {
                params,
                json: { keyId: textOf(data, 'keyId') },
              })
            }
          >
            <Field label="Id of its current key" name="keyId" required maxLength={64} spellCheck={false} />
          </ChangeForm>
        </details>
      )}
      <ChangeButton
        label="Remove"
        tone="bad"
        sure={`Carry nothing more of ${address}? Users keep its apps; new installs stop.`}
        request={() => apiRequest('DELETE /api/admin/upstreams/:upstream', { params })}
      />
    </>
  );
}

function One({ upstream }: { upstream: Upstream }) {
  const { address, failure, isStopped, apps, choices, keyIds, file } = upstream;
  return (
    <Card title={visible(address)}>
      {failure ? (
        <p className="fault">
          {`Nothing new comes since ${moment(failure.since)}: ${FAILURES[failure.code]}. `}
          <bdi>{visible(failure.message)}</bdi>
        </p>
      ) : null}
      {isStopped ? <p className="fault">New installs of its apps have stopped.</p> : null}
      <Facts
        facts={[
          [
            'Apps',
            `${apps.carried} carried, ${apps.waiting} waiting, ${apps.refused} refused, ${apps.gone} gone`,
          ],
          ['Which apps', WHICH[choices.which]],
          ['Named', choices.apps.length > 0 && count(choices.apps.length, 'app')],
          ['Review here', HOW[choices.how]],
          ['Last verified', readOf(upstream)],
          ['Trusted keys', <code key="keys">{keyIds.join(' ')}</code>],
          [
            'Exports signed by',
            file?.signerIds.length ? <code key="signers">{file.signerIds.join(' ')}</code> : null,
          ],
        ]}
      />
      {file ? null : <Search upstream={upstream} />}
      <details>
        <summary>Its apps here</summary>
        <Apps upstream={upstream} />
      </details>
      <Change upstream={upstream} />
    </Card>
  );
}

/** The stores whose apps this store carries. */
export function Upstreams() {
  const list = useRead(apiRequest('GET /api/admin/upstreams'));
  return (
    <>
      <h1>Upstreams</h1>
      <Loaded query={list}>
        {({ upstreams }) => upstreams.map((one) => <One key={one.id} upstream={one} />)}
      </Loaded>
      <NewUpstream />
    </>
  );
}

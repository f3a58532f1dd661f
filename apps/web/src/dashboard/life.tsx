import type { AppState, OwnAppLife, PublisherDetail } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { ErrorMessage, Loaded, moment } from '@svc/ui';
import { Card, Fields, OpenForm, textOf } from '../account/parts.tsx';
import { useChange, useRead } from '../account/use-store.ts';
import type { OwnRef } from './diff-view.tsx';

const words = {
  title: 'Listing, transfer and deletion',
  delisted: 'Leave this app out of lists and searches. Its page, its versions and updates stay.',
  note: 'Deprecated, because',
  noteHint: 'Users read it. Empty: the app is not deprecated.',
  replacement: 'Use instead: id of an app of this store (optional)',
  save: 'Save',
  versions: 'Deprecated versions',
  version: 'Version',
  deprecateVersion: 'Deprecate a version',
  deprecate: 'Deprecate',
  undeprecate: 'End deprecation',
  transfer: 'Transfer to another publisher',
  transferHint:
    'The other publisher must accept. Tokens and CI workflows for this app end, and its users are asked again at the next update.',
  offer: 'Offer this app',
  to: 'Publisher',
  sendOffer: 'Send the offer',
  offered: (to: string, when: string) => `Offered to ${to}, ${when}.`,
  takeBack: 'Take the offer back',
  offers: 'Offered apps',
  offeredBy: (from: string, when: string) => `offered by ${from}, ${when}`,
  accept: 'Accept',
  refuse: 'Refuse',
  deleteApp: 'Delete this app',
  notDeletable: 'Users have installed, rated or reported this app: delist or deprecate it instead.',
  final: 'This cannot be undone. The name is never given out again once it was published.',
  type: (name: string) => `Type ${name} to confirm`,
  deletePublisher: 'Delete this publisher',
  deletePublisherHint: 'Only a publisher without apps can be deleted. Its name is never given out again.',
};

/** Maximum length of a note, in UTF-16 code units, as in the store. */
const MAX_NOTE = 2_000;

function State({ own, life }: { own: OwnRef; life: OwnAppLife }) {
  const change = useChange((json: AppState) =>
    apiRequest('PUT /api/publishers/:slug/apps/:appId/life', { params: own, json }),
  );
  const submit = (data: FormData) => {
    const note = textOf(data, 'note');
    const replacement = textOf(data, 'replacement');
    const deprecation = note === '' ? null : { note, ...(replacement !== '' && { replacement }) };
    return change.mutateAsync({ delisted: data.get('delisted') === 'on', deprecation });
  };
  const { delisted, deprecation } = life;
  return (
    <>
      <Fields
        key={`${delisted} ${JSON.stringify(deprecation)}`}
        action={words.save}
        busy={change.isPending}
        submit={submit}
      >
        <label className="choice">
          <input type="checkbox" name="delisted" defaultChecked={delisted} />
          {words.delisted}
        </label>
        <label>
          {words.note}
          <small>{words.noteHint}</small>
          <textarea name="note" rows={2} maxLength={MAX_NOTE} defaultValue={deprecation?.note ?? ''} />
        </label>
        <label>
          {words.replacement}
          <input name="replacement" maxLength={200} defaultValue={deprecation?.replacement ?? ''} />
        </label>
      </Fields>
      <ErrorMessage error={change.error} />
    </>
  );
}

function Versions({ own, life }: { own: OwnRef; life: OwnAppLife }) {
  const change = useChange(({ version, note }: { version: string; note: string | null }) =>
    apiRequest('PUT /api/publishers/:slug/apps/:appId/versions/:version/deprecation', {
      params: { ...own, version },
      json: { note },
    }),
  );
  return (
    <>
      <h3>{words.versions}</h3>
      <ul className="rows">
        {Object.entries(life.deprecated).map(([version, note]) => (
          <li key={version}>
            <div>
              {version}: {visible(note)}
            </div>
            <button type="button" onClick={() => change.mutate({ version, note: null })}>
              {words.undeprecate}
            </button>
          </li>
        ))}
      </ul>
      <OpenForm label={words.deprecateVersion}>
        {(close) => (
          <Fields
            action={words.deprecate}
            busy={change.isPending}
            submit={(data) =>
              change.mutateAsync({ version: textOf(data, 'version'), note: textOf(data, 'note') }).then(close)
            }
          >
            <label>
              {words.version}
              <input name="version" required maxLength={100} />
            </label>
            <label>
              {words.note}
              <textarea name="note" rows={2} required maxLength={MAX_NOTE} />
            </label>
          </Fields>
        )}
      </OpenForm>
      <ErrorMessage error={change.error} />
    </>
  );
}

function Offer({ own, life }: { own: OwnRef; life: OwnAppLife }) {
  const offer = useChange((to: string | null) =>
    apiRequest('PUT /api/publishers/:slug/apps/:appId/offer', { params: own, json: { to } }),
  );
  return (
    <>
      <h3>{words.transfer}</h3>
      <p className="soft">{words.transferHint}</p>
      {life.offer ? (
        <p>
          {words.offered(life.offer.to, moment(life.offer.at))}{' '}
          <button type="button" disabled={offer.isPending} onClick={() => offer.mutate(null)}>
            {words.takeBack}
          </button>
        </p>
      ) : (
        <OpenForm label={words.offer}>
          {(close) => (
            <Fields
              action={words.sendOffer}
              busy={offer.isPending}
              submit={(data) => offer.mutateAsync(textOf(data, 'to')).then(close)}
            >
              <label>
                {words.to}
                <input name="to" required maxLength={60} autoCapitalize="off" spellCheck={false} />
              </label>
            </Fields>
          )}
        </OpenForm>
      )}
      <ErrorMessage error={offer.error} />
    </>
  );
}

/** A button that asks for a name to be typed before it deletes something. */
function Delete({ name, label, remove }: { name: string; label: string; remove(): Promise<unknown> }) {
  return (
    <OpenForm label={label} className="bad">
      {() => (
        <section className="danger" aria-label={label}>
          <p>{words.final}</p>
          <Fields action={label} busy={false} submit={remove}>
            <label>
              {words.type(name)}
              <input
                required
                autoComplete="off"
                onChange={({ currentTarget }) =>
                  currentTarget.setCustomValidity(currentTarget.value === name ? '' : words.type(name))
                }
              />
            </label>
          </Fields>
        </section>
      )}
    </OpenForm>
  );
}

function DeleteApp({ own, life }: { own: OwnRef; life: OwnAppLife }) {
  const remove = useChange(() => apiRequest('DELETE /api/publishers/:slug/apps/:appId', { params: own }));
  if (!life.deletable) return <p className="soft">{words.notDeletable}</p>;
  const leave = () => window.location.assign(`/account/publishers/${own.slug}`);
  return (
    <>
      <Delete name={own.appId} label={words.deleteApp} remove={() => remove.mutateAsync().then(leave)} />
      <ErrorMessage error={remove.error} />
    </>
  );
}

/** How an app ends or moves: delisted, deprecated, offered to another publisher, deleted. For owners. */
export function Life(own: OwnRef) {
  const query = useRead(apiRequest('GET /api/publishers/:slug/apps/:appId/life', { params: own }));
  return (
    <Card title={words.title}>
      <Loaded query={query}>
        {(life) => (
          <>
            <State own={own} life={life} />
            <Versions own={own} life={life} />
            <Offer own={own} life={life} />
            <h3>{words.deleteApp}</h3>
            <DeleteApp own={own} life={life} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

/** The apps that other publishers offer. Owners answer. */
export function Offers({ publisher: { slug, role } }: { publisher: PublisherDetail }) {
  const query = useRead(apiRequest('GET /api/publishers/:slug/offers', { params: { slug } }));
  const answer = useChange(({ appId, accept }: { appId: string; accept: boolean }) =>
    apiRequest('POST /api/publishers/:slug/offers/:appId', { params: { slug, appId }, json: { accept } }),
  );
  const offers = query.data?.offers ?? [];
  if (offers.length === 0) return null;
  return (
    <Card title={words.offers}>
      <ul className="rows">
        {offers.map(({ appId, name, from, at }) => (
          <li key={appId}>
            <div>
              <bdi>{visible(name)}</bdi> <code>{appId}</code> {words.offeredBy(from, moment(at))}
            </div>
            {role === 'owner' ? (
              <span className="buttons">
                <button type="button" onClick={() => answer.mutate({ appId, accept: true })}>
                  {words.accept}
                </button>
                <button
                  type="button"
                  className="quiet"
                  onClick={() => answer.mutate({ appId, accept: false })}
                >
                  {words.refuse}
                </button>
              </span>
            ) : null}
          </li>
        ))}
      </ul>
      <ErrorMessage error={answer.error} />
    </Card>
  );
}

/** Deletes a publisher that has no apps. */
export function DeletePublisher({ slug }: { slug: string }) {
  const remove = useChange(() => apiRequest('DELETE /api/publishers/:slug', { params: { slug } }));
  const leave = () => window.location.assign('/account');
  return (
    <Card title={words.deletePublisher}>
      <p className="soft">{words.deletePublisherHint}</p>
      <Delete name={slug} label={words.deletePublisher} remove={() => remove.mutateAsync().then(leave)} />
      <ErrorMessage error={remove.error} />
    </Card>
  );
}

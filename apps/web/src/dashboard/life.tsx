import type { OwnAppLife, PublisherDetail } from '@svc/contracts';
import { type ApiRequest, apiRequest } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';
import { visible } from '@svc/text';
import { Check, Field, Loaded, moment, Rows, TextArea, textOf } from '@svc/ui';
import { Fragment } from 'react';
import { Card, ChangeButton, ChangeForm, OpenForm } from '../account/parts.tsx';
import { useRead } from '../account/use-store.ts';
import { visit } from '../address.ts';
import { hasExtension } from '../extensions/has.ts';
import { partOf } from '../extensions/part.tsx';
import { StoreLink } from '../extensions/store-link.tsx';
import type { OwnRef } from './diff-view.tsx';

const Reviewer = partOf(() => import('../extensions/servers/reviewer.tsx'), 'Reviewer');

function State({ own, life }: { own: OwnRef; life: OwnAppLife }) {
  const request = async (data: FormData) => {
    const [note, replacement] = [textOf(data, 'note'), textOf(data, 'replacement')];
    if (note === '' && replacement !== '') throw new Error('Say why the app is deprecated.');
    const deprecation = note === '' ? null : { note, ...(replacement !== '' && { replacement }) };
    return apiRequest('PUT /api/publishers/:slug/apps/:appId/life', {
      params: own,
      json: { delisted: data.get('delisted') === 'on', deprecation },
    });
  };
  const { delisted, deprecation } = life;
  return (
    <ChangeForm action="Save" request={request} status={() => 'Saved.'}>
      <Fragment key={`${delisted} ${JSON.stringify(deprecation)}`}>
        <Check
          label="Leave this app out of lists and searches. Its page, its versions and updates stay."
          name="delisted"
          defaultChecked={delisted}
        />
        <TextArea
          label="Deprecated, because"
          hint="Users read it. Empty: the app is not deprecated."
          name="note"
          rows={2}
          maxLength={LIMITS.note}
          defaultValue={deprecation?.note ?? ''}
        />
        <Field
          label="Use instead: id of an app of this store (optional)"
          name="replacement"
          maxLength={200}
          defaultValue={deprecation?.replacement ?? ''}
        />
      </Fragment>
    </ChangeForm>
  );
}

/** The deprecated versions. A version is deprecated in its menu, under Versions. */
function Deprecated({ own, life }: { own: OwnRef; life: OwnAppLife }) {
  if (Object.keys(life.deprecated).length === 0) return null;
  return (
    <Card title="Deprecated versions">
      <Rows of={Object.entries(life.deprecated)}>
        {([version, note]) => (
          <li key={version}>
            <div>
              {version}: {visible(note)}
            </div>
            <ChangeButton
              label="End deprecation"
              request={() =>
                apiRequest('PUT /api/publishers/:slug/apps/:appId/versions/:version/deprecation', {
                  params: { ...own, version },
                  json: { note: null },
                })
              }
            />
          </li>
        )}
      </Rows>
    </Card>
  );
}

function Offer({ own, life }: { own: OwnRef; life: OwnAppLife }) {
  const offerTo = (to: string | null) =>
    apiRequest('PUT /api/publishers/:slug/apps/:appId/offer', { params: own, json: { to } });
  return (
    <Card title="Transfer to another publisher">
      <p className="soft">
        The other publisher must accept. Tokens and CI workflows for this app end, and its users are asked
        again at the next update.
      </p>
      {life.offer ? (
        <div>
          Offered to {life.offer.to}, {moment(life.offer.at)}.{' '}
          <ChangeButton label="Take the offer back" request={() => offerTo(null)} />
        </div>
      ) : (
        <OpenForm label="Offer this app">
          {(close) => (
            <ChangeForm action="Send the offer" request={(data) => offerTo(textOf(data, 'to'))} done={close}>
              <Field
                label="Short name of the publisher"
                name="to"
                required
                maxLength={60}
                autoCapitalize="off"
                spellCheck={false}
              />
            </ChangeForm>
          )}
        </OpenForm>
      )}
    </Card>
  );
}

/** A button that asks for a name to be typed before it deletes something. */
function Delete({
  name,
  label,
  request,
  done,
}: {
  name: string;
  label: string;
  request(): ApiRequest<unknown>;
  done(): void;
}) {
  const ask = `Type ${name} to confirm`;
  return (
    <OpenForm label={label} className="bad">
      {() => (
        <section className="danger" aria-label={label}>
          <p>This cannot be undone. The name is never given out again once it was published.</p>
          <ChangeForm action={label} request={request} done={done}>
            <Field
              label={ask}
              required
              autoComplete="off"
              onChange={({ currentTarget }) =>
                currentTarget.setCustomValidity(currentTarget.value === name ? '' : ask)
              }
            />
          </ChangeForm>
        </section>
      )}
    </OpenForm>
  );
}

function DeleteApp({ own, life }: { own: OwnRef; life: OwnAppLife }) {
  if (!life.deletable)
    return (
      <p className="soft">
        Users have installed, rated or reported this app: delist or deprecate it instead.
      </p>
    );
  return (
    <Delete
      name={own.appId}
      label="Delete this app"
      request={() => apiRequest('DELETE /api/publishers/:slug/apps/:appId', { params: own })}
      done={() => visit(`/account/publishers/${own.slug}`)}
    />
  );
}

/** How an app ends or moves: delisted, deprecated, offered to another publisher, deleted. For owners. */
export function Life(own: OwnRef) {
  const query = useRead(apiRequest('GET /api/publishers/:slug/apps/:appId/life', { params: own }));
  return (
    <Loaded query={query}>
      {(life) => (
        <>
          <Card title="Listing">
            <State own={own} life={life} />
          </Card>
          <Deprecated own={own} life={life} />
          {hasExtension('servers') ? <Reviewer own={own} life={life} /> : null}
          <Offer own={own} life={life} />
          <Card title="Delete this app">
            <DeleteApp own={own} life={life} />
          </Card>
        </>
      )}
    </Loaded>
  );
}

/** The apps that other publishers offer. Owners answer. */
export function Offers({ publisher: { slug, role } }: { publisher: PublisherDetail }) {
  const query = useRead(apiRequest('GET /api/publishers/:slug/offers', { params: { slug } }));
  const answer = (appId: string, accept: boolean) => () =>
    apiRequest('POST /api/publishers/:slug/offers/:appId', { params: { slug, appId }, json: { accept } });
  const offers = query.data?.offers ?? [];
  if (offers.length === 0) return null;
  return (
    <Card title="Offered apps">
      <Rows of={offers}>
        {({ appId, name, from, at }) => (
          <li key={appId}>
            <div>
              <StoreLink href={`/apps/${appId}`}>
                <bdi>{visible(name)}</bdi>
              </StoreLink>{' '}
              <code>{appId}</code> offered by {from}, {moment(at)}
            </div>
            {role === 'owner' ? (
              <span className="buttons">
                <ChangeButton
                  tone="plain"
                  label="Accept"
                  sure={`Take over ${visible(name)}? Its users are asked at the next update.`}
                  request={answer(appId, true)}
                />
                <ChangeButton tone="quiet" label="Refuse" request={answer(appId, false)} />
              </span>
            ) : null}
          </li>
        )}
      </Rows>
    </Card>
  );
}

/** Deletes a publisher that has no apps. */
export const DeletePublisher = ({ slug }: { slug: string }) => (
  <Card title="Delete this publisher">
    <p className="soft">Only a publisher without apps can be deleted. Its name is never given out again.</p>
    <Delete
      name={slug}
      label="Delete this publisher"
      request={() => apiRequest('DELETE /api/publishers/:slug', { params: { slug } })}
      done={() => visit('/account')}
    />
  </Card>
);

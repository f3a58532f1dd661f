import type { Webhook, WebhookDelivery } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { EVENT_TYPES } from '@svc/contracts/vocabulary';
import { Check, day, Field, Loaded, moment, Rows, textOf } from '@svc/ui';
import { useState } from 'react';
import { Card, ChangeButton, ChangeForm, OpenForm, Secret } from '../../account/parts.tsx';
import { useRead } from '../../account/use-store.ts';

/** How the receiver answered the last try. */
function answerOf({ status, fault, tries, nextTryAt }: WebhookDelivery): string {
  if (tries === 0) return 'not sent yet';
  const answer = status === null ? (fault ?? 'no answer') : `answered ${status}`;
  return nextTryAt === null ? answer : `${answer}; next try ${moment(nextTryAt)}`;
}

function Delivery({ id, delivery }: { id: string; delivery: WebhookDelivery }) {
  const { event, state } = delivery;
  return (
    <li>
      <div>
        <code>{event.type}</code> <span className="badge">{state}</span>
        <p className="soft">
          {event.data.appId ?? event.data.publisher} {event.data.version}; {moment(event.timestamp)};{' '}
          {answerOf(delivery)}
        </p>
      </div>
      <ChangeButton
        label="Send again"
        request={() =>
          apiRequest('POST /api/webhooks/:id/deliveries/:event/redeliver', {
            params: { id, event: event.data.id },
          })
        }
      />
    </li>
  );
}

function Deliveries({ id }: { id: string }) {
  const log = useRead(apiRequest('GET /api/webhooks/:id/deliveries', { params: { id } }));
  return (
    <Loaded query={log}>
      {({ deliveries }) => (
        <Rows none="No events yet." of={deliveries}>
          {(delivery) => <Delivery key={delivery.event.data.id} id={id} delivery={delivery} />}
        </Rows>
      )}
    </Loaded>
  );
}

/** That a receiver stays down, or that its webhook is paused, and how to go on. */
function Down({ hook: { id, failingSince, pausedAt } }: { hook: Webhook }) {
  if (failingSince === null) return null;
  if (pausedAt === null)
    return <p className="mild">{`Every try has failed since ${moment(failingSince)}. It is tried again.`}</p>;
  return (
    <>
      <p className="fault">
        {`Paused ${moment(pausedAt)}: every try had failed since ${moment(failingSince)}. Nothing is lost.`}
      </p>
      <ChangeButton
        label="Resume"
        request={() => apiRequest('POST /api/webhooks/:id/resume', { params: { id } })}
      />
    </>
  );
}

function Row({ hook }: { hook: Webhook }) {
  const { id, url, types, createdAt, disabledAt } = hook;
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <div>
        <code className="wrap">{url}</code>{' '}
        {disabledAt === null ? null : <span className="badge">switched off</span>}
        <p className="soft">
          {types === null ? 'all events' : types.join(', ')}; added {day(createdAt)}
          {disabledAt === null ? '' : `; its receiver answered 410 Gone ${day(disabledAt)}`}
        </p>
        <Down hook={hook} />
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>Deliveries</summary>
          {isOpen ? <Deliveries id={id} /> : null}
        </details>
      </div>
      <ChangeButton
        label="Remove"
        sure="Remove this webhook? Its receiver gets no more events."
        request={() => apiRequest('DELETE /api/webhooks/:id', { params: { id } })}
      />
    </li>
  );
}

type Query = { publisher?: string };

type EventType = (typeof EVENT_TYPES)[number];

/** What events are about, by the word before their point. Those of the store itself reach no publisher. */
const SUBJECTS: readonly (readonly [title: string, is: (type: EventType) => boolean])[] = [
  ['Versions', (type) => type.startsWith('version.')],
  ['Apps and publishers', (type) => /^(?:app|publisher|server)\./.test(type)],
  ['This store', (type) => type.startsWith('store.')],
];

/** The events of one subject, each with a box. */
function Subject({ title, types }: { title: string; types: readonly EventType[] }) {
  return (
    <fieldset>
      <legend>{title}</legend>
      {types.map((type) => (
        <Check key={type} label={<code>{type}</code>} name="type" value={type} />
      ))}
    </fieldset>
  );
}

/** Which events a webhook gets: all, also those of later versions of the store, or some. */
function Events({ ofStore }: { ofStore: boolean }) {
  const [isAll, setAll] = useState(true);
  const shown = SUBJECTS.filter(([, is]) => ofStore || !is('store.key-changed'));
  return (
    <>
      <Check label="All events, also kinds that are added later" name="all" checked={isAll} choose={setAll} />
      {isAll
        ? null
        : shown.map(([title, is]) => <Subject key={title} title={title} types={EVENT_TYPES.filter(is)} />)}
    </>
  );
}

function Add({ query }: { query: Query }) {
  const request = (data: FormData) => {
    const types = data.getAll('type') as EventType[];
    const json = { url: textOf(data, 'url'), ...(data.get('all') === null && { types }) };
    return apiRequest('POST /api/webhooks', { query, json });
  };
  return (
    <ChangeForm
      action="Add webhook"
      request={request}
      shows={({ secret }) => (
        <Secret label="Copy the secret of this webhook now. It is shown only once." text={secret} />
      )}
    >
      <Field
        label="Address"
        hint="An https address of a host on the Internet."
        name="url"
        type="url"
        required
      />
      <Events ofStore={query.publisher === undefined} />
    </ChangeForm>
  );
}

/**
 * Lists, adds and removes webhooks, and shows what they got.
 * @param publisher whose they are; those of the store without one, which have a page of their own
 */
export function Webhooks({ publisher }: { publisher?: string }) {
  const query = publisher === undefined ? {} : { publisher };
  const list = useRead(apiRequest('GET /api/webhooks', { query }));
  const isPage = publisher === undefined;
  const card = (
    <Card title={isPage ? undefined : 'Webhooks'}>
      <p className="soft">
        The store sends events to your address, signed by Standard Webhooks, and tries for a day. Each arrives
        at least once.
      </p>
      <Loaded query={list}>
        {({ webhooks, publicKey }) => (
          <>
            <Rows of={webhooks}>{(hook) => <Row key={hook.id} hook={hook} />}</Rows>
            <OpenForm label="Add a webhook">{() => <Add query={query} />}</OpenForm>
            <p className="soft">
              The <code>v1a</code> signatures verify with <code className="wrap">{publicKey}</code>.
            </p>
          </>
        )}
      </Loaded>
    </Card>
  );
  return isPage ? (
    <>
      <h1>Webhooks</h1>
      {card}
    </>
  ) : (
    card
  );
}

import type { NameRequestPage } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { ConfirmButton, day, ErrorMessage, Field, Loaded } from '@svc/ui';
import { Card, Fields, OpenForm, textOf } from '../account/parts.tsx';
import { useChange } from '../account/use-store.ts';
import { VerifiedBadge } from '../account/verified-badge.tsx';
import { More } from './list.tsx';
import { usePages } from './use-pages.ts';

type Request = NameRequestPage['requests'][number];

function Row({ request }: { request: Request }) {
  const { publisher, name, askedAt } = request;
  const params = { slug: publisher.slug };
  const approve = useChange(() =>
    apiRequest('POST /api/admin/name-requests/:slug/approve', { params, json: { name } }),
  );
  const refuse = useChange((note: string) =>
    apiRequest('POST /api/admin/name-requests/:slug/refuse', { params, json: { name, note } }),
  );
  return (
    <li>
      <div>
        <code>{publisher.slug}</code> <VerifiedBadge {...publisher} />
        <p>
          From <bdi>{publisher.name}</bdi> to{' '}
          <strong>
            <bdi>{name}</bdi>
          </strong>
        </p>
        <p className="soft">{`requested on ${day(askedAt)}`}</p>
        <ErrorMessage error={approve.error ?? refuse.error} />
      </div>
      <span className="buttons">
        <ConfirmButton
          label="Approve"
          sure={`Rename the publisher to ${name}?`}
          act={() => approve.mutate()}
        />
        <OpenForm label="Reject">
          {() => (
            <Fields
              action="Reject"
              busy={refuse.isPending}
              submit={(data) => refuse.mutateAsync(textOf(data, 'note'))}
            >
              <Field
                label="Reason, shown to the members of the publisher"
                name="note"
                required
                maxLength={2000}
              />
            </Fields>
          )}
        </OpenForm>
      </span>
    </li>
  );
}

/** Name changes of verified publishers that an administrator has to decide on. */
export function NameRequests() {
  const waiting = usePages((cursor) => apiRequest('GET /api/admin/name-requests', { query: { cursor } }));
  return (
    <Card title="Name changes of verified publishers">
      <Loaded query={waiting}>
        {(pages) => {
          const requests = pages.flatMap((page) => page.requests);
          return requests.length === 0 ? (
            <p>No name changes to review.</p>
          ) : (
            <ul className="rows">
              {requests.map((request) => (
                <Row key={`${request.publisher.slug} ${request.name}`} request={request} />
              ))}
            </ul>
          );
        }}
      </Loaded>
      <More more={waiting.more} />
    </Card>
  );
}

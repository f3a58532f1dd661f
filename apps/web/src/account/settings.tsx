import type { PublisherDetail } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { ErrorMessage, Field } from '@svc/ui';
import { Card, Fields, textOf } from './parts.tsx';
import { useChange } from './use-store.ts';

/** The settings of a publisher, apart from its website. */
export function Settings({ publisher: { slug, name, verified } }: { publisher: PublisherDetail }) {
  const rename = useChange((json: { name: string }) =>
    apiRequest('PATCH /api/publishers/:slug', { params: { slug }, json }),
  );
  return (
    <>
      <Card title="Name">
        <Fields
          action="Save"
          busy={rename.isPending}
          submit={(data) => rename.mutateAsync({ name: textOf(data, 'name') })}
        >
          <Field
            key={name}
            label="Name"
            hint={
              verified
                ? 'Your publisher is verified: an administrator has to approve a new name.'
                : 'Shown next to your apps. It must not look like the name of another publisher.'
            }
            name="name"
            required
            maxLength={80}
            defaultValue={name}
          />
        </Fields>
        <ErrorMessage error={rename.error} />
      </Card>
      <Card title="Short name">
        <p>
          <code>{slug}</code> is the <code>publisher</code> of every plugin.json. It cannot change.
        </p>
      </Card>
    </>
  );
}

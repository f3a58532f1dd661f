import type { TrustedPublishers as Data, TrustedPublisher } from '@svc/contracts';
import { apiRequest, type BodyOf } from '@svc/contracts/client';
import { sourceName } from '@svc/contracts/vocabulary';
import { Check, day, ErrorMessage, Facts, Field, Loaded, Rows, Select, textOf } from '@svc/ui';
import { useState } from 'react';
import { Card, ChangeButton, ChangeForm, OpenForm } from '../../account/parts.tsx';
import { useChange, useRead } from '../../account/use-store.ts';

type Given = BodyOf<'PUT /api/publishers/:slug/apps/:appId/publishing'>;

function Workflow({ slug, one, hasApp }: { slug: string; one: TrustedPublisher; hasApp: boolean }) {
  const { appId, claims, createdAt, lastUsedAt, pending } = one;
  return (
    <li>
      <div>
        <bdi>{sourceName(one)}</bdi> {pending ? <span className="badge">waits for the app</span> : null}
        <p className="soft">
          {hasApp ? null : (
            <>
              <code>{appId}</code>;{' '}
            </>
          )}
          added {day(createdAt)}; {lastUsedAt === undefined ? 'never used' : `last used ${day(lastUsedAt)}`}
        </p>
        <details>
          <summary>What a job must say</summary>
          <Facts
            facts={Object.entries({ iss: one.issuer, ...claims }).map(
              ([name, value]) => [name, <code key={name}>{value}</code>] as const,
            )}
          />
        </details>
      </div>
      <ChangeButton
        label="Remove"
        sure="Remove this workflow? Its jobs can no longer publish, and their tokens stop working."
        request={() =>
          apiRequest('DELETE /api/publishers/:slug/trusted-publishers/:id', { params: { slug, id: one.id } })
        }
      />
    </li>
  );
}

/** The fields by which a workflow is named; which of them depends on its CI system. */
function Names({ kind }: { kind: Data['issuers'][number]['kind'] }) {
  if (kind === 'other')
    return <Field label="Subject" hint="The exact claim sub of the jobs." name="subject" required />;
  const isGitHub = kind === 'github';
  return (
    <>
      <Field label="Repository" hint="Such as owner/name." name="repository" required />
      <Field
        label="Workflow file"
        hint={
          isGitHub ? 'In .github/workflows, such as release.yml.' : 'Optional; .gitlab-ci.yml by default.'
        }
        name="workflow"
        required={isGitHub}
      />
      <Field label="Environment" hint="Optional. Only jobs of this environment." name="environment" />
      <Check
        label={`Only runners of ${isGitHub ? 'GitHub' : 'GitLab'}, not self-hosted ones`}
        name="hostedOnly"
      />
      <Field
        label="Repository id"
        hint="Only for a private repository; a number."
        name="repositoryId"
        inputMode="numeric"
      />
      <Field
        label={isGitHub ? 'Owner id' : 'Namespace id'}
        hint="Only for a private repository; a number."
        name="ownerId"
        inputMode="numeric"
      />
    </>
  );
}

const OPTIONAL = ['repository', 'workflow', 'environment', 'repositoryId', 'ownerId', 'subject'] as const;

function Add({
  slug,
  appId,
  issuers,
}: {
  slug: string;
  appId: string | undefined;
  issuers: Data['issuers'];
}) {
  const [issuer, setIssuer] = useState(issuers[0]?.issuer ?? '');
  const request = (data: FormData) => {
    const given = OPTIONAL.flatMap((name) => (textOf(data, name) ? [[name, textOf(data, name)]] : []));
    const hosted = data.has('hostedOnly') ? { hostedOnly: true } : {};
    const json = { ...Object.fromEntries(given), ...hosted, appId: appId ?? textOf(data, 'appId'), issuer };
    return apiRequest('POST /api/publishers/:slug/trusted-publishers', { params: { slug }, json });
  };
  return (
    <ChangeForm action="Trust workflow" request={request}>
      {appId === undefined ? (
        <Field label="App id" hint="It does not have to exist yet." name="appId" required />
      ) : null}
      <Select
        label="CI system"
        of={issuers.map((one) => [one.issuer, sourceName({ ...one, claims: {} })] as const)}
        value={issuer}
        choose={setIssuer}
      />
      <Names kind={issuers.find((one) => one.issuer === issuer)?.kind ?? 'other'} />
    </ChangeForm>
  );
}

/** Who may publish an app, and whether its versions wait for a member. */
function Rules({ slug, appId, rules }: { slug: string; appId: string; rules: Given }) {
  const set = useChange((json: Given) =>
    apiRequest('PUT /api/publishers/:slug/apps/:appId/publishing', { params: { slug, appId }, json }),
  );
  const choice = (name: keyof Given, label: string) => (
    <Check
      label={label}
      checked={rules[name]}
      disabled={set.isPending}
      choose={(isOn) => set.mutate({ ...rules, [name]: isOn })}
    />
  );
  return (
    <div className="fields">
      {choice('trustedOnly', 'Only these workflows may publish this app: no token, no member, no page')}
      {choice('confirm', 'Each version waits until a member confirms it on its page')}
      <ErrorMessage error={set.error} />
    </div>
  );
}

/**
 * The CI workflows that may publish apps of a publisher, without a stored secret.
 * @param appId only of this app; of all apps, also of those that do not exist yet, without one
 */
export function TrustedPublishing({ slug, appId }: { slug: string; appId?: string }) {
  const query = appId === undefined ? {} : { appId };
  const list = useRead(
    apiRequest('GET /api/publishers/:slug/trusted-publishers', { params: { slug }, query }),
  );
  return (
    <Card title="Trusted publishing">
      <Loaded query={list}>
        {({ trustedPublishers, trustedOnly, confirmed, issuers, audience }) => (
          <>
            <p className="soft">
              Jobs of these CI workflows publish without a stored secret: svc publish exchanges the ID token
              of the job, for the audience <code>{audience}</code>, for a token that works for 15 minutes and
              this app.
            </p>
            <Rows of={trustedPublishers} none="No workflow is trusted yet.">
              {(one) => <Workflow key={one.id} slug={slug} one={one} hasApp={appId !== undefined} />}
            </Rows>
            {appId === undefined ? null : (
              <Rules
                slug={slug}
                appId={appId}
                rules={{ trustedOnly: trustedOnly.includes(appId), confirm: confirmed.includes(appId) }}
              />
            )}
            {issuers.length === 0 ? (
              <p>This store accepts no CI system.</p>
            ) : (
              <OpenForm label="Trust a workflow">
                {() => <Add slug={slug} appId={appId} issuers={issuers} />}
              </OpenForm>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

import type { Change } from '@svc/contracts';
import { ALLOWED_TITLE, changesOf, SIDE_TITLES } from '@svc/permissions';
import type { ConsentCard } from '@svc/runtime';
import { visible } from '@svc/text';
import { ChangeList } from '@svc/ui';
import type { ReactNode } from 'react';
import { BundlePicture } from '../parts/icon.tsx';
import { isolated } from '../parts/isolated.ts';
import { CardHead } from './card-head.tsx';
import { Kinds, kindsOf, Sentences, summaryOf } from './permissions.tsx';

/** From this number on, changes that add no permissions are folded. */
const FOLD_FROM = 10;

type ConsentRequest = Pick<
  ConsentCard,
  'app' | 'permissions' | 'footprint' | 'widened' | 'pictures' | 'inside' | 'origin'
>;

/** The installed version's value of a field that the update changes, else `fallback`. The user knows the app by it. */
function installedValue({ widened }: ConsentRequest, path: string, fallback: string): string {
  const before = widened?.changes.find((change) => change.path === path)?.before;
  return typeof before === 'string' ? before : fallback;
}

/** The name of the installed version. An update that renames the app does not ask under its new name. */
export const knownName = (request: ConsentRequest): string =>
  isolated(installedValue(request, '/name', request.app.name));

/** @param replaces the installed version; null for a first install */
export const consentTitle = (request: ConsentRequest, replaces: string | null): string =>
  replaces === null
    ? `Install ${knownName(request)} ${request.app.version}?`
    : `Update ${knownName(request)} from ${replaces} to ${request.app.version}?`;

export const declineHint = (replaces: string | null): string =>
  replaces === null
    ? 'If you decline, nothing is installed.'
    : `If you decline, ${replaces} stays installed.`;

function AppHead({ request }: { request: ConsentRequest }) {
  const { app, footprint, pictures } = request;
  const { sha256, icon } = pictures.before ?? pictures.after;
  return (
    <CardHead
      icon={<BundlePicture sha256={sha256} path={icon} alt="" />}
      {...{ name: knownName(request), appId: app.appId, isOfStore: true, sealed: app.version }}
      publisher={installedValue(request, '/publisher', footprint.face.publisher)}
    />
  );
}

/** Requirements are listed with their reasons in the details, and not a second time. */
const isRequirement = ({ path }: Change): boolean => /^\/requires\/(?:apps|connectors)\//.test(path);

/** First install: the three most important permissions, the publisher's sentences, and the rest folded. */
function FirstConsent({ request, details }: { request: ConsentRequest; details: ReactNode }) {
  const { app, permissions, footprint } = request;
  const all = changesOf(null, footprint);
  const { matters, rest } = summaryOf(
    details === null ? all : all.filter((change) => !isRequirement(change)),
  );
  return (
    <>
      <h3>{ALLOWED_TITLE}</h3>
      <Kinds kinds={matters} />
      <h3>Permissions</h3>
      <Sentences sentences={permissions} publisher={footprint.face.publisher} appId={app.appId} />
      <details>
        <summary>Details</summary>
        <Kinds kinds={rest} />
        {details}
      </details>
    </>
  );
}

/** Update: what changes, and what stays folded. */
function UpdateConsent({
  request: { app, permissions, footprint, pictures },
  changes,
  details,
}: {
  request: ConsentRequest;
  changes: readonly Change[];
  details: ReactNode;
}) {
  const changed = new Set(changes.map(({ path }) => path));
  const same = changesOf(null, footprint).filter(({ path }) => !changed.has(path));
  return (
    <>
      <div className="agreed-changes">
        <ChangeList
          changes={changes}
          heading="h3"
          foldFrom={FOLD_FROM}
          picture={(side, kind) => {
            const { sha256, [kind]: path } = pictures[side] ?? { sha256: '', [kind]: null };
            return path ? <BundlePicture sha256={sha256} path={path} alt={SIDE_TITLES[side]} /> : null;
          }}
        />
      </div>
      <details>
        <summary>Details</summary>
        <h3>Unchanged</h3>
        {changed.has('/permissions') ? null : (
          <Sentences sentences={permissions} publisher={footprint.face.publisher} appId={app.appId} />
        )}
        <Kinds kinds={kindsOf(same)} />
        {details}
      </details>
    </>
  );
}

/**
 * What the user agrees to: at a first install all permissions, at an update the changes. The rest is folded, and nothing is
 * listed twice.
 * @param children shown below the head
 * @param details shown inside the fold
 */
export function Consent({
  request,
  details = null,
  children,
}: {
  request: ConsentRequest;
  details?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <>
      <AppHead request={request} />
      {request.origin === undefined ? null : (
        <p className="soft">
          From <bdi>{visible(new URL(request.origin.store).host)}</bdi>, carried by{' '}
          <bdi>{visible(request.origin.carriedBy)}</bdi>. Both signed it.
        </p>
      )}
      {request.inside.length === 0 ? null : (
        <p className="mild">
          Runs inside your company’s network: <code>{request.inside.join(', ')}</code>
        </p>
      )}
      {children}
      {request.widened === null ? (
        <FirstConsent request={request} details={details} />
      ) : (
        <UpdateConsent request={request} changes={request.widened.changes} details={details} />
      )}
    </>
  );
}

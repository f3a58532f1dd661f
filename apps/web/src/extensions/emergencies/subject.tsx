import type { EmergencyPreview } from '@svc/contracts';
import { visible } from '@svc/text';
import { count } from '@svc/ui';
import type { ReactNode } from 'react';
import { Initials, Named } from '../../account/parts.tsx';
import { Icon } from '../../dashboard/parts.tsx';
import { iconOf } from '../../moderation/version-path.ts';
import { StoreLink } from '../store-link.tsx';

/** What a preview reaches, in a sentence, and the apps of others that depend on it. */
export function Reach({ reach }: { reach: EmergencyPreview['reach'] }) {
  const { dependants, apps, versions, installs, members, tokens, sessions } = reach;
  return (
    <>
      <p>
        {`It has ${count(apps, 'app')} with ${count(versions, 'published version')}, ${count(installs, 'install')}, ${count(members, 'member')} with ${count(sessions, 'session')}, and ${count(tokens, 'valid token')}.`}
      </p>
      {dependants.length === 0 ? null : (
        <p className="soft">
          {'Apps of others that require it'}:{' '}
          {dependants.map(({ appId, name }, n) => (
            <span key={appId}>
              {n === 0 ? '' : ', '}
              <StoreLink href={`/apps/${encodeURIComponent(appId)}`}>
                <bdi>{visible(name)}</bdi>
              </StoreLink>
            </span>
          ))}
        </p>
      )}
    </>
  );
}

/** The app or the publisher that an emergency acts on: its picture and its name. */
export const Subject = ({
  id,
  name,
  app,
  children,
}: {
  id: string;
  name: string;
  app: EmergencyPreview['app'];
  children?: ReactNode;
}) => (
  <Named
    picture={
      app ? (
        <Icon path={iconOf({ appId: id, version: app.version })} name={visible(app.name)} side={44} />
      ) : (
        <Initials name={name} />
      )
    }
  >
    <strong>
      <bdi>{visible(app?.name ?? name)}</bdi>
    </strong>{' '}
    {children}
    <p className="soft">
      <code>{id}</code>
      {app ? (
        <>
          {' '}
          of <bdi>{visible(name)}</bdi>
        </>
      ) : null}
    </p>
  </Named>
);

import type { AppDetail } from '@svc/contracts';
import { visible } from '@svc/text';
import type { AppView } from '../../../src/wire/views.ts';
import { hashOf } from '../routes.ts';
import { useStore } from '../shell/use-project.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';

/** What the publisher says of an app, and of a version of it, that should not be used any more, in their words. */
export function DeprecationNote({
  app: { deprecation, versions },
  version,
}: {
  app: Pick<AppDetail, 'deprecation' | 'versions'>;
  /** The installed version; undefined when it is not installed. */
  version: string | undefined;
}) {
  const ofVersion = versions.find((one) => one.version === version)?.deprecated;
  return (
    <>
      {deprecation ? (
        <p className="callout" role="note">
          <strong>Deprecated by its publisher:</strong> <bdi>{visible(deprecation.note)}</bdi>
          {deprecation.replacement === undefined ? null : (
            <>
              {' '}
              <a href={hashOf('store', deprecation.replacement)}>
                {visible(`See ${deprecation.replacement}`)}
              </a>
            </>
          )}
        </p>
      ) : null}
      {ofVersion === undefined ? null : (
        <p className="callout" role="note">
          <strong>{`Version ${version} is deprecated by its publisher:`}</strong>{' '}
          <bdi>{visible(ofVersion)}</bdi>
        </p>
      )}
    </>
  );
}

/** The same for an installed app of this store, as the store says now. Shows nothing while the store cannot be reached. */
export function InstalledDeprecation({ app: { appId, version, source } }: { app: AppView }) {
  const store = useStore();
  return source.kind === 'store' && source.store === store ? (
    <FromStore appId={appId} version={version} />
  ) : null;
}

function FromStore({ appId, version }: Pick<AppView, 'appId' | 'version'>) {
  const { data } = useDesktopQuery('store.app', { appId });
  return data ? <DeprecationNote app={data} version={version} /> : null;
}

import type { Deprecation } from '@svc/contracts';
import { visible } from '@svc/text';
import type { AppView } from '../../../src/wire/views.ts';
import { hashOf } from '../routes.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';

/**
 * What the publisher says of an app, and of a version of it, that should not be used any more, in their words.
 * @param version the installed one
 */
export function DeprecationNote({
  deprecation,
  version,
  ofVersion,
}: {
  deprecation: Deprecation | undefined;
  version: string | undefined;
  ofVersion: string | undefined;
}) {
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

/** The same for an installed app of the store, as the store says now. One question answers for all apps. */
export function InstalledDeprecation({
  app: { appId, version },
}: {
  app: Pick<AppView, 'appId' | 'version'>;
}) {
  const { data } = useDesktopQuery('store.deprecations', {});
  const own = data?.apps.find((one) => one.appId === appId);
  return own ? (
    <DeprecationNote deprecation={own.deprecation} version={version} ofVersion={own.versions[version]} />
  ) : null;
}

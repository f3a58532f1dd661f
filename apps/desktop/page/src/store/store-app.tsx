import type { AppDetail, PublishedVersion } from '@svc/contracts';
import { ALLOWED_TITLE, sealsOf } from '@svc/permissions';
import { visible } from '@svc/text';
import { Button, ButtonLink, count, day, Facts, OutsideLink, Rows, SealRow, sizeText } from '@svc/ui';
import { useState } from 'react';
import type { AppView } from '../../../src/wire/views.ts';
import { StoreIcon, StoreScreenshot } from '../parts/icon.tsx';
import { Heading, Section } from '../parts/parts.tsx';
import { SafeHtml } from '../parts/safe-html.tsx';
import { WithCode } from '../parts/with-code.tsx';
import { Allowed, Sentences } from '../permissions/permissions.tsx';
import { hashOf } from '../routes.ts';
import { useApps, useStore } from '../shell/use-project.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';
import { DeprecationNote } from './deprecation-note.tsx';
import { InstallDialog } from './install-dialog.tsx';
import { OtherStore, RateDialog } from './links.tsx';
import { listedChanges } from './listed-changes.ts';
import { StoreFault } from './store-fault.tsx';
import { WhatChanged } from './what-changed.tsx';

type Installing = { version: string | undefined } | null;

function Screenshots({ name, urls }: { name: string; urls: readonly string[] }) {
  if (urls.length === 0) return null;
  return (
    <Section title="Screenshots">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <section className="shots" tabIndex={0} aria-label={`${visible(name)}: Screenshots`}>
        {urls.map((url, i) => (
          <StoreScreenshot key={url} url={url} alt={`Screenshot ${i + 1} of ${name}`} />
        ))}
      </section>
    </Section>
  );
}

function Readme({ app }: { app: AppDetail }) {
  if (app.readme.trim() === '') return null;
  return (
    <Section title="About this app">
      {app.readmeHtml === undefined ? (
        <p className="plain">{app.readme}</p>
      ) : (
        <SafeHtml html={app.readmeHtml} store={app.iconUrl} repeated={app.name} />
      )}
    </Section>
  );
}

function Permissions({ app }: { app: AppDetail }) {
  return (
    <Section title="Permissions">
      <h3>{ALLOWED_TITLE}</h3>
      <Allowed changes={listedChanges(app)} />
      <Sentences sentences={app.permissions} publisher={app.publisher.name} />
    </Section>
  );
}

const Tools = ({ tools }: { tools: AppDetail['tools'] }) => (
  <Section title="Tools">
    <Rows of={tools} none="This app has no tools.">
      {({ id, name, description }) => (
        <li key={id}>
          <div>
            <strong>{visible(name)}</strong>{' '}
            <span className="soft">
              <WithCode text={description} />
            </span>
          </div>
        </li>
      )}
    </Rows>
  </Section>
);

function Version({ version, install }: { version: PublishedVersion; install(): void }) {
  return (
    <li>
      <div>
        <strong>{version.version}</strong>{' '}
        <span className="soft">{`${day(version.publishedAt)}, ${sizeText(version.size)}`}</span>{' '}
        {version.deprecated === undefined ? null : (
          <span className="badge mild" title={visible(version.deprecated)}>
            deprecated
          </span>
        )}
        <WhatChanged version={version} />
      </div>
      <Button label="Install" onClick={install} aria-label={`Install ${version.version}`} />
    </li>
  );
}

type TopProps = { app: AppDetail; installed: AppView | undefined; install(): void; rate(): void };

function Top({ app, installed, install, rate }: TopProps) {
  const isCurrent = installed?.version === app.version;
  return (
    <div className="cluster apart app-top">
      <StoreIcon name={app.name} url={app.iconUrl} />
      <div>
        <Heading>{visible(app.name)}</Heading>
        <p className="soft">
          {`by ${visible(app.publisher.name)}`}
          {' · '}
          {app.rating.count > 0 ? `★ ${app.rating.average.toFixed(1)} (${app.rating.count}) · ` : ''}
          {count(app.installs, 'install')}
        </p>
      </div>
      <div className="buttons">
        {isCurrent ? null : (
          <Button
            label={installed ? `Update to ${app.version}` : 'Install'}
            className="main"
            onClick={install}
          />
        )}
        {installed ? (
          <>
            <ButtonLink label="Open app" href={hashOf('apps', app.appId)} />
            <Button label="Rate this app" onClick={rate} />
            <span className="soft">{`${installed.version} is installed`}</span>
          </>
        ) : null}
      </div>
    </div>
  );
}

function Detail({ app, action }: { app: AppDetail; action: string | undefined }) {
  const [installing, setInstalling] = useState<Installing>(
    action === 'install' ? { version: app.version } : null,
  );
  const [isRating, setRating] = useState(action === 'rate');
  const { homepage, support } = app;
  const installed = useApps()?.find(({ appId }) => appId === app.appId);
  const link = (address: string, schemes: RegExp) =>
    schemes.test(address) ? <OutsideLink label={visible(address)} href={address} /> : null;
  return (
    <>
      <Top
        app={app}
        installed={installed}
        install={() => setInstalling({ version: app.version })}
        rate={() => setRating(true)}
      />
      <DeprecationNote
        deprecation={app.deprecation}
        version={installed?.version}
        ofVersion={app.versions.find(({ version }) => version === installed?.version)?.deprecated}
      />
      <SealRow seals={sealsOf(app)} />
      <p>{visible(app.description)}</p>
      <Screenshots name={app.name} urls={app.screenshots} />
      <div className="app-parts">
        <Readme app={app} />
        <div className="app-allowed">
          <Permissions app={app} />
        </div>
        <Tools tools={app.tools} />
        <Section title="Versions">
          <Facts
            facts={[
              ['Website', link(homepage, /^https:/)],
              ['Support', link(support, /^(https|mailto):/)],
            ]}
          />
          <Rows of={app.versions}>
            {(version) => (
              <Version key={version.version} version={version} install={() => setInstalling(version)} />
            )}
          </Rows>
        </Section>
      </div>
      {installing ? (
        <InstallDialog appId={app.appId} version={installing.version} close={() => setInstalling(null)} />
      ) : null}
      {isRating ? <RateDialog app={app} close={() => setRating(false)} /> : null}
    </>
  );
}

/**
 * The store's page of an app.
 * @param action `install` or `rate`: what a link asked for
 * @param from the store of that link
 */
export function StoreApp({
  appId,
  action,
  from,
}: {
  appId: string;
  action?: string | undefined;
  from?: string | undefined;
}) {
  const own = useStore();
  const isOther = from !== undefined && (action === 'install' || action === 'rate') && from !== own;
  return isOther ? (
    <OtherStore link={{ action, appId, store: from }} />
  ) : (
    <OwnApp appId={appId} action={action} />
  );
}

function OwnApp({ appId, action }: { appId: string; action: string | undefined }) {
  const app = useDesktopQuery('store.app', { appId });
  return (
    <>
      <p>
        <a href={hashOf('store')}>Back to Store</a>
      </p>
      {app.error && app.data === undefined ? <Heading>{visible(appId)}</Heading> : null}
      <StoreFault error={app.error} retry={() => app.refetch()} />
      {app.data === undefined ? (
        app.error ? null : (
          <p role="status">Loading…</p>
        )
      ) : (
        <Detail app={app.data} action={action} />
      )}
    </>
  );
}

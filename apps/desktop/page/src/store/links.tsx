import type { AppDetail } from '@svc/contracts';
import { visible } from '@svc/text';
import { Button, Copyable, Dialog, DialogButtons, ErrorMessage, OutsideLink } from '@svc/ui';
import { useEffect } from 'react';
import type { DesktopCalls } from '../../../src/wire/calls.ts';
import { isolated } from '../parts/isolated.ts';
import { hashOf } from '../routes.ts';
import { useApps, useStore } from '../shell/use-project.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

/** Turns links of web pages on or off. */
export function LinksSetting() {
  const links = useDesktopQuery('links.show', {}).data?.links;
  const turn = useDesktopMutation('links.turn');
  if (!links) return null;
  if (links.install !== null)
    return (
      <>
        <p className="soft">npx runs svc from its cache. To open links of web pages here, install svc:</p>
        <Copyable name="the command" text={links.install} />
      </>
    );
  return (
    <div className="buttons">
      <span>
        {links.isOn
          ? 'Links of web pages (svc://) open this desktop. It asks before it installs anything.'
          : 'Links of web pages (svc://) do not open this desktop.'}
      </span>
      <Button
        label={links.isOn ? 'Turn off' : 'Open links here'}
        runs={turn}
        onClick={() => turn.mutate({ isOn: !links.isOn })}
      />
      <ErrorMessage error={turn.error} />
    </div>
  );
}

type OtherLink = Omit<DesktopCalls['links.open']['in'], 'isAgreed'>;

const hostOf = (store: string): string => URL.parse(store)?.host ?? store;

/** A link to an app of another store: asks if that store is new here, and continues in its own desktop. */
export function OtherStore({ link }: { link: OtherLink }) {
  const own = hostOf(useStore());
  const open = useDesktopMutation('links.open');
  const { mutate } = open;
  const { action, appId, store } = link;
  useEffect(() => {
    mutate({ action, appId, store, isAgreed: false });
  }, [mutate, action, appId, store]);
  const next = open.data?.link ?? null;
  useEffect(() => {
    if (next !== null) window.location.replace(next);
  }, [next]);
  const leave = () => go(hashOf('store'));
  const host = visible(hostOf(store));
  const isNew = open.data?.link === null;
  const buttons = (
    <DialogButtons
      yes="Open store"
      why={isNew && !open.isPending ? null : ''}
      act={() => mutate({ action, appId, store, isAgreed: true })}
      leave={leave}
    />
  );
  return (
    <Dialog title={`Open the store ${host}?`} leave={leave} buttons={buttons} error={open.error}>
      {isNew ? (
        <>
          <p>{`A web page asks to open an app of ${host}. You use ${own} here. svc has not used ${host} on this computer.`}</p>
          <p className="soft">
            Its apps, accounts and data are kept apart from those of your other stores. Open it only if you
            know who operates it: it can list any app.
          </p>
        </>
      ) : null}
      {open.isPending || next !== null ? <p role="status">Opening the store…</p> : null}
    </Dialog>
  );
}

/** Leads to the store's page on which the user rates an app. */
export function RateDialog({ app, close }: { app: AppDetail; close(): void }) {
  const apps = useApps();
  const page = useDesktopQuery('store.ratingPage', { appId: app.appId });
  const isInstalled = apps?.some(({ appId }) => appId === app.appId);
  const buttons = (
    <>
      {isInstalled && page.data ? (
        <OutsideLink label="Rate this app" className="button main" href={page.data.url} onClick={close} />
      ) : null}
      <Button label="Cancel" onClick={close} />
    </>
  );
  return (
    <Dialog title={`Rate ${isolated(app.name)}`} leave={close} buttons={buttons} error={page.error}>
      <p>
        {isInstalled === false
          ? 'Only users who installed an app can rate it. Install it first.'
          : 'The page of the store opens in your browser with the id of this installation, which proves that you installed the app.'}
      </p>
    </Dialog>
  );
}

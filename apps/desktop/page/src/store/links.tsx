import type { AppDetail } from '@svc/contracts';
import { visible } from '@svc/text';
import { Copyable, Dialog, DialogButtons, ErrorMessage } from '@svc/ui';
import { useEffect } from 'react';
import type { DesktopCalls } from '../../../src/wire/calls.ts';
import { isolated } from '../parts/isolated.ts';
import { Banner } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { useProject, useStore } from '../shell/use-project.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

/** Asks once whether links of web pages open this desktop. */
export function LinksNotice() {
  const links = useDesktopQuery('links.show', {}).data?.links;
  const turn = useDesktopMutation('links.turn');
  if (!links || links.isOn || links.isAsked || links.install !== null) return null;
  return (
    <Banner>
      <span role="status">
        Web pages of stores can open apps here: you choose “Install” there, and this desktop shows what the
        app may do and asks you.
      </span>
      <button type="button" onClick={() => turn.mutate({ isOn: true })}>
        Open links here
      </button>
      <button type="button" onClick={() => turn.mutate({ isOn: false })}>
        Not now
      </button>
      <ErrorMessage error={turn.error} />
    </Banner>
  );
}

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
      <button type="button" disabled={turn.isPending} onClick={() => turn.mutate({ isOn: !links.isOn })}>
        {links.isOn ? 'Turn off' : 'Open links here'}
      </button>
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
      canAct={isNew && !open.isPending}
      act={() => mutate({ action, appId, store, isAgreed: true })}
      leave={leave}
    />
  );
  return (
    <Dialog title={`Open the store ${host}?`} leave={leave} buttons={buttons}>
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
      <ErrorMessage error={open.error} />
    </Dialog>
  );
}

/** Leads to the store's page on which the user rates an app. */
export function RateDialog({ app, close }: { app: AppDetail; close(): void }) {
  const apps = useDesktopQuery('apps.list', { project: useProject().id }).data?.apps;
  const page = useDesktopQuery('store.ratingPage', { appId: app.appId });
  const isInstalled = apps?.some(({ appId }) => appId === app.appId);
  const buttons = (
    <>
      {isInstalled && page.data ? (
        <a
          className="button main"
          href={page.data.url}
          target="_blank"
          rel="noopener noreferrer"
          onClick={close}
        >
          Rate this app
        </a>
      ) : null}
      <button type="button" onClick={close}>
        Cancel
      </button>
    </>
  );
  return (
    <Dialog title={`Rate ${isolated(app.name)}`} leave={close} buttons={buttons}>
      <p>
        {isInstalled === false
          ? 'Only users who installed an app can rate it. Install it first.'
          : 'The page of the store opens in your browser with the id of this installation, which proves that you installed the app.'}
      </p>
      <ErrorMessage error={page.error} />
    </Dialog>
  );
}
